"""What the kernels, our compiled inner loops, are decorated with.

The program folder has them compiled (`claimlight.index.compiled`); elsewhere numba compiles them
(`claimlight.index.compiler`). Importing numba takes half a second, so kernel modules are imported inside
functions only.
"""

from __future__ import annotations

from claimlight.index import compiled

if compiled.is_there():
    from claimlight.index.compiled import claim_next, kernel, kernel_of_maxima, prefetch
else:
    from claimlight.index.compiler import claim_next, kernel, kernel_of_maxima, prefetch

__all__ = ["claim_next", "kernel", "kernel_of_maxima", "prefetch"]
