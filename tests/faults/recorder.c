/* Records what a process does to the files below POWER_ROOT: every write, sync and change of a name, in order,
 * with its bytes. It is put in front of the C library (LD_PRELOAD); power_loss.py reads the journal.
 *
 * Calls inside the C library (fwrite, mmap) do not come by here. So the content of a file that SQLite did not
 * write is recorded as a whole when it is synced, closed or renamed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define LOCKED(type, call) \
    pthread_mutex_lock(&lock); type done = (call); int code = errno;
#define UNLOCK pthread_mutex_unlock(&lock); errno = code; return done;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static const char *root, *acks;
static int journal = -1;

struct head { uint32_t op, first, second, length; uint64_t inode; int64_t offset; };

static int ready(void) {
    if (!root) {
        root = getenv("POWER_ROOT"); acks = getenv("POWER_ACKS");
        if (!root) root = "";
        else journal = syscall(SYS_openat, AT_FDCWD, getenv("POWER_JOURNAL"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    }
    return journal >= 0;
}

static int inside(const char *path) {
    size_t n = strlen(root);
    return n && !strncmp(path, root, n) && (!path[n] || path[n] == '/');
}

static void put(char op, uint64_t inode, int64_t offset, const void *data, size_t n, const char *a, const char *b) {
    struct head head = {op, strlen(a), strlen(b), n, inode, offset};
    struct iovec all[] = {{&head, sizeof head}, {(void *)a, head.first}, {(void *)b, head.second}, {(void *)data, n}};
    /* A journal with a gap would prove nothing. */
    if (syscall(SYS_writev, journal, all, 4) != (long)(sizeof head + head.first + head.second + n)) abort();
}

/* The absolute path of a name, which may be relative to an open folder. */
static void absolute(int folder, const char *name, char *path) {
    char link[64], base[PATH_MAX] = "";
    if (name[0] == '/') { snprintf(path, PATH_MAX, "%s", name); return; }
    if (folder == AT_FDCWD) { if (!getcwd(base, sizeof base)) base[0] = 0; }
    else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t n = readlink(link, base, sizeof base - 1); base[n < 0 ? 0 : n] = 0;
    }
    snprintf(path, PATH_MAX, "%.2000s/%.2000s", base, name);
}

/* Whether a descriptor is a file or folder to be watched; its path and state. */
static int watched(int fd, char *path, struct stat *state) {
    char link[64];
    if (!ready()) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, PATH_MAX - 1); if (n <= 0) return 0;
    path[n] = 0;
    if (!inside(path) && strcmp(path, acks)) return 0;
    return !fstat(fd, state) && (S_ISREG(state->st_mode) || S_ISDIR(state->st_mode));
}

static int of_sqlite(const unsigned char *body, size_t n) {
    static const unsigned char rollback[] = {0xd9, 0xd5, 0x05, 0xf9};
    return n >= 16 && (!memcmp(body, "SQLite format 3", 16) || !memcmp(body, rollback, 4)
        || (body[0] == 0x37 && body[1] == 0x7f && body[2] == 0x06 && (body[3] | 1) == 0x83));
}

/* The whole content of a file, unless SQLite wrote it. */
static void snapshot(const char *path) {
    struct stat state; int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    if (fd < 0) return;
    if (!fstat(fd, &state) && S_ISREG(state.st_mode)) {
        unsigned char *body = malloc(state.st_size + 1);
        ssize_t n = pread(fd, body, state.st_size, 0);
        if (n == state.st_size && !of_sqlite(body, n)) put('S', state.st_ino, 0, body, n, path, "");
        free(body);
    }
    syscall(SYS_close, fd);
}

static void snapshot_open(int fd, const char *path) {
    if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY && !strstr(path, " (deleted)")) snapshot(path);
}

static void wrote(int fd, const void *data, ssize_t n, int64_t offset) {
    char path[PATH_MAX]; struct stat state;
    if (n <= 0 || !watched(fd, path, &state)) return;
    if (acks && !strcmp(path, acks)) put('A', 0, 0, data, n, "", "");
    else put('W', state.st_ino, offset < 0 ? lseek(fd, 0, SEEK_CUR) - n : offset, data, n, path, "");
}

static void gathered(int fd, const struct iovec *parts, int count, ssize_t n, int64_t offset) {
    char *all = malloc(n > 0 ? n : 1); size_t at = 0;
    for (int i = 0; i < count && n > 0 && at < (size_t)n; i++) {
        size_t part = parts[i].iov_len < n - at ? parts[i].iov_len : n - at;
        memcpy(all + at, parts[i].iov_base, part); at += part;
    }
    wrote(fd, all, n, offset); free(all);
}

ssize_t write(int fd, const void *b, size_t n) { LOCKED(ssize_t, REAL(write)(fd, b, n)) wrote(fd, b, done, -1); UNLOCK }
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) { LOCKED(ssize_t, REAL(pwrite)(fd, b, n, o)) wrote(fd, b, done, o); UNLOCK }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) { LOCKED(ssize_t, REAL(pwrite64)(fd, b, n, o)) wrote(fd, b, done, o); UNLOCK }
ssize_t writev(int fd, const struct iovec *v, int c) { LOCKED(ssize_t, REAL(writev)(fd, v, c)) gathered(fd, v, c, done, -1); UNLOCK }
ssize_t pwritev(int fd, const struct iovec *v, int c, off_t o) { LOCKED(ssize_t, REAL(pwritev)(fd, v, c, o)) gathered(fd, v, c, done, o); UNLOCK }

static void cut(int fd, int failed, int64_t size) {
    char path[PATH_MAX]; struct stat state;
    if (!failed && watched(fd, path, &state)) put('T', state.st_ino, size, "", 0, path, "");
}
int ftruncate(int fd, off_t n) { LOCKED(int, REAL(ftruncate)(fd, n)) cut(fd, done, n); UNLOCK }
int ftruncate64(int fd, off64_t n) { LOCKED(int, REAL(ftruncate64)(fd, n)) cut(fd, done, n); UNLOCK }

static void synced(int fd, int failed) {
    char path[PATH_MAX]; struct stat state;
    if (failed || !watched(fd, path, &state)) return;
    if (S_ISDIR(state.st_mode)) { put('D', 0, 0, "", 0, path, ""); return; }
    snapshot_open(fd, path);
    put('F', state.st_ino, 0, "", 0, path, "");
}
int fsync(int fd) { LOCKED(int, REAL(fsync)(fd)) synced(fd, done); UNLOCK }
int fdatasync(int fd) { LOCKED(int, REAL(fdatasync)(fd)) synced(fd, done); UNLOCK }

int close(int fd) {
    char path[PATH_MAX]; struct stat state;
    pthread_mutex_lock(&lock);
    if (watched(fd, path, &state) && S_ISREG(state.st_mode) && strcmp(path, acks)) snapshot_open(fd, path);
    int done = REAL(close)(fd), code = errno;
    UNLOCK
}

/* Opening: a file that was not there is made, one that was may lose its content. */
static int opened(int folder, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX]; struct stat state; int known = 0, watch;
    pthread_mutex_lock(&lock);
    absolute(folder, name, path);
    watch = (flags & (O_CREAT | O_TRUNC)) && ready() && inside(path);
    if (watch) known = !lstat(path, &state);
    int done = syscall(SYS_openat, folder, name, flags, mode), code = errno;
    if (watch && done >= 0 && !fstat(done, &state)) {
        if (!known) put('C', state.st_ino, 0, "", 0, path, "");
        else if (flags & O_TRUNC) put('T', state.st_ino, 0, "", 0, path, "");
    }
    UNLOCK
}
#define MODE va_list rest; va_start(rest, flags); mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; va_end(rest);
int open(const char *p, int flags, ...) { MODE return opened(AT_FDCWD, p, flags, mode); }
int open64(const char *p, int flags, ...) { MODE return opened(AT_FDCWD, p, flags | O_LARGEFILE, mode); }
int openat(int d, const char *p, int flags, ...) { MODE return opened(d, p, flags, mode); }
int openat64(int d, const char *p, int flags, ...) { MODE return opened(d, p, flags | O_LARGEFILE, mode); }

/* Names. */
static void named(char op, int failed, int d, const char *a, int e, const char *b) {
    char first[PATH_MAX], second[PATH_MAX] = "";
    if (failed || !ready()) return;
    absolute(d, a, first); if (b) absolute(e, b, second);
    if (inside(first) || (b && inside(second))) put(op, 0, 0, "", 0, first, second);
}
static void before(int d, const char *a) {
    char path[PATH_MAX];
    if (!ready()) return;
    absolute(d, a, path); if (inside(path)) snapshot(path);
}
#define NAMES(op, call, d, a, e, b) LOCKED(int, call) named(op, done, d, a, e, b); UNLOCK
int rename(const char *a, const char *b) { before(AT_FDCWD, a); NAMES('R', REAL(rename)(a, b), AT_FDCWD, a, AT_FDCWD, b) }
int renameat(int d, const char *a, int e, const char *b) { before(d, a); NAMES('R', REAL(renameat)(d, a, e, b), d, a, e, b) }
int link(const char *a, const char *b) { before(AT_FDCWD, a); NAMES('L', REAL(link)(a, b), AT_FDCWD, a, AT_FDCWD, b) }
int linkat(int d, const char *a, int e, const char *b, int f) { before(d, a); NAMES('L', REAL(linkat)(d, a, e, b, f), d, a, e, b) }
int unlink(const char *a) { NAMES('U', REAL(unlink)(a), AT_FDCWD, a, 0, NULL) }
int unlinkat(int d, const char *a, int f) { NAMES('U', REAL(unlinkat)(d, a, f), d, a, 0, NULL) }
int rmdir(const char *a) { NAMES('U', REAL(rmdir)(a), AT_FDCWD, a, 0, NULL) }
int mkdir(const char *a, mode_t m) { NAMES('M', REAL(mkdir)(a, m), AT_FDCWD, a, 0, NULL) }
int mkdirat(int d, const char *a, mode_t m) { NAMES('M', REAL(mkdirat)(d, a, m), d, a, 0, NULL) }
