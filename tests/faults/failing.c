/* Lets the n-th write or sync of files whose path has a name in it fail, once or from there on. It is put in front
 * of the C library (LD_PRELOAD); failing.py calls fail_at.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long left; static int lasting, syncs, code; static long count; static const char *part = "";

void fail_at(long n, int from_there_on, int of_syncs, int with, const char *name) {
    left = n; lasting = from_there_on; syncs = of_syncs; code = with; part = name; count = 0;
}
long failures(void) { return count; }

static int fails(int fd, int sync) {
    char link[64], path[4096];
    if (!*part || sync != syncs) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1); if (n <= 0) return 0;
    path[n] = 0; if (!strstr(path, part) || strstr(path, "-shm") || strstr(path, ".lock")) return 0;
    left--; if (left > 0 || (left < 0 && !lasting)) return 0;
    count++; errno = code; return 1;
}
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
ssize_t write(int fd, const void *b, size_t n) { return fails(fd, 0) ? -1 : REAL(write)(fd, b, n); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) { return fails(fd, 0) ? -1 : REAL(pwrite64)(fd, b, n, o); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) { return fails(fd, 0) ? -1 : REAL(pwrite)(fd, b, n, o); }
int fsync(int fd) { return fails(fd, 1) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return fails(fd, 1) ? -1 : REAL(fdatasync)(fd); }
