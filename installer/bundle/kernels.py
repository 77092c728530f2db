"""Compile the kernels, the inner loops of the program, so that the program folder needs no compiler.

``python kernels.py FOLDER`` writes what `claimlight.index.compiled` reads: one library for each level of
instructions, from the same functions that numba compiles elsewhere, and a table. numba does all but the last
step here too, for the level instead of this processor. `SIGNATURES` lists what the kernels are called
with; they are compiled for nothing else.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PATHS = [str(HERE.parents[1] / name) for name in ("core", "app")]
BEGIN, RELEASE = "claimlight_begin", "claimlight_release"
_SEARCH = "i8[1] f8[1] i4[1] f8[2] i8[1] u2[1] i8[1] u1[1] i4[1] f8[1] f4[1] i8"
SIGNATURES = {
    "claimlight.index.forward_kernels": {
        # Segments of format 4 and earlier have centers of 16 or 32 bits; their other numbers are widened.
        "select_plain": ("i8[1] i8[1] u2[1] u1[1]", "i8[1] i8[1] u4[1] u1[1]", "i8[1] i8[1] i8[1] u1[1]"),
        # Offsets are of 64 bits where 32 do not suffice.
        "select_packed": (
            "i8[1] i4[1] u1[1] u2[1] i4[1] u1[1] u1[1]",
            "i8[1] i8[1] u1[1] u2[1] i4[1] u1[1] u1[1]",
            "i8[1] i8[1] u1[1] u2[1] i8[1] u1[1] u1[1]",
        ),
        "pack_entries": ("i8[1] i8[1] u1[1] i8[1] i8[1]",),
        "find_meetings": ("i8[1] i4[1] u1[1] i4[1] f8[2] f8[1]",),
        "find_all_meetings": ("i8[1] i4[1] u1[1] i8[1] i8[1] i8[1] f8[2] f8[2] f8[1]",),
        "sum_kept": ("i8[1] i8[1] i8[1] f8[1] b1[1]",),
        "choose_rows": ("f8[1] f8[1] b1[1] b1[1] i8[1] i8",),
    },
    "claimlight.index.posting_kernels": {
        "measure_lists": ("i8 i8 i4[1] u1[1] u2[1] i8[2]", "i8 i8 i8[1] u1[1] u2[1] i8[2]"),
        "write_lists": ("i8 i8 i8 i4[1] u1[1] u2[1] i8[1] u2[1]", "i8 i8 i8 i8[1] u1[1] u2[1] i8[1] u2[1]"),
    },
    "claimlight.index.scoring_kernels": {
        "best_passages": (_SEARCH,),
        "best_documents": (_SEARCH,),
        "all_passages": ("i8[1] i4[1] f8[2] i8[1] u2[1] i8[1] u1[1] i4[1] f8[1] f8[1]",),
    },
    "claimlight.index.order_kernels": {"take_best": ("i8[1] f8[1] i8[1] i8[1] i8[1] i8",)},
    "claimlight.index.nearest_kernels": {
        "unit_rows": ("f4[2] f4[2]",),
        "seven_bits": ("f4[2] u1[2] f4[1] f4[1] f8",),
        "best_inside": ("i4[2] i4[1] f4[1] i4[1] f4[1] f4[1] f4[2] f4[2] f8[1] i4[2] f8[2] i8[1]",),
        "settle": ("f4[2] i8[2] f4[2] f4[2] f8[1] i4[2] f8[2] i8[1] b1[1] f8",),
    },
    "claimlight.retrieval.word_kernels": {
        "decode_lengths": ("u1[1] i4[1]",),
        "decode_lists": ("u1[1] i8[1] u1[1] i8[1] i8[1] i8[1] i8[1] i4[1] i8[1] i8[1]",),
        "add_up": ("i8[1] f8[1] i8[1] f8[1] i8[1] i4[2] f8 f8 f8 i8[1] f8[1]",),
    },
    "claimlight.services.maps.layout_kernels": {
        "move": ("f8[2] f8[2] i8[1] i8[1] f8[1] i8 i8 i8 f8 f8[2] f8[2]",),
    },
    "claimlight.training.centers.traversal_kernels": {
        "invert_lengths": ("i1[2] f4[1]",),
        "refresh": ("i4[2] i4[1] f4[1] i1[2] i1[2] f4[1] i4[1] i8",),
        "accept": ("i1[2] f4[1] f4[1] f4 i8 i8[1]", "i1[2] f4[1] f4[1] f8 i8 i8[1]"),
        "find_nearest_columns": ("i4[2] i4[1] f4[1] i4[1] f8 i1[2] i1[2] f4[1] i4[2] f4[2]",),
    },
}
# Python's, for the messages of errors that name arguments; `compiled` has messages of its own for these.
STUBS = ("PyErr_SetString", "PyObject_Hash", "PyTuple_Pack", "PyUnicode_FromKindAndData")


def main() -> None:
    """Compile into the folder named, or, with a level as well, the object file of that level."""
    folder = Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        _compile(folder, sys.argv[2], sys.argv[3:])
    else:
        build(folder)


def levels() -> tuple[str, ...]:
    """Levels of instructions that this kind of computer is compiled for."""
    from claimlight.index.compiled import LEVELS

    if platform.machine().lower() not in ("x86_64", "amd64"):
        raise SystemExit(f"kernels are compiled for {', '.join(LEVELS)}, not for {platform.machine()}")
    return tuple(LEVELS)


def build(folder: Path, names: Collection[str] = ()) -> None:
    """Write the libraries, of the kernels ``names`` or of all, and the table.

    Takes a minute for all, and the compiler that Python's extensions are built with.
    """
    from claimlight.index.compiled import library_name

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        for level in levels():
            # Before numba is imported: then it compiles for the level, with all that chooses by processor.
            told = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": scratch}
            places = os.pathsep.join([*PATHS, os.environ.get("PYTHONPATH", "")])
            subprocess.run(
                [sys.executable, str(Path(__file__).resolve()), scratch, level, *names],
                env={**os.environ, **told, "PYTHONPATH": places},
                check=True,
            )
            _link(Path(scratch), level, folder / library_name(level))
        shutil.move(Path(scratch) / "kernels.json", folder / "kernels.json")


def _compile(folder: Path, level: str, names: Collection[str]) -> None:
    """Write the object file of all kernels, and the table."""
    import llvmlite.binding as llvm
    from llvmlite import ir
    from numba.core import cgutils
    from numba.core.registry import cpu_target

    _forget_places()
    context = cpu_target.target_context
    codegen = context.codegen()
    module = codegen.create_library("claimlight").create_ir_module("claimlight")
    table: dict[str, list[dict[str, Any]]] = {}
    libraries = []
    for name, compiled in _kernels(names):
        variants = table.setdefault(name, [])
        symbol = f"claimlight_{len(libraries)}_{name.rpartition('.')[2]}"
        takes, gives, several = _wrap(context, module, symbol, compiled)
        variants.append({"symbol": symbol, "takes": takes, "gives": gives, "several": several})
        libraries.append(compiled.library)
    bytes_at = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [bytes_at])
    release = ir.Function(module, kind, RELEASE)
    builder = ir.IRBuilder(release.append_basic_block())
    builder.call(ir.Function(module, kind, "NRT_decref"), release.args)
    builder.ret_void()

    whole = llvm.parse_assembly(cgutils.normalize_ir_text(str(module)))
    for library in libraries:
        if library.has_dynamic_globals:
            raise SystemExit(f"{library.name} has addresses of this process in it")
        whole.link_in(library._get_module_for_linking().clone())
    seen = {RELEASE, *(each["symbol"] for variants in table.values() for each in variants)}
    for each in (*whole.functions, *whole.global_variables):
        if not each.is_declaration and each.name not in seen:
            each.linkage = "internal"
    # numba's own machine is for code that stays where it is compiled; that of a library can be anywhere.
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=level, features="", opt=3, reloc="pic", codemodel="default"
    )
    # The wrappers for Python, which numba makes too, are in nobody's use now.
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(whole, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(3)))
    whole.verify()
    (folder / f"{level}.o").write_bytes(machine.emit_object(whole))
    (folder / "kernels.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def _forget_places() -> None:
    """Keep the places in source files out of exceptions: they are paths of this machine."""
    from numba.core.callconv import CPUCallConv

    built = CPUCallConv.build_excinfo_struct

    def build(self: Any, kind: Any, arguments: Any, _place: Any, _function: Any) -> Any:
        return built(self, kind, arguments, None, None)

    CPUCallConv.build_excinfo_struct = build


def _kernels(names: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Name and result of the compiler, for each of `SIGNATURES`, or those of ``names``."""
    for module, kernels in SIGNATURES.items():
        loaded = importlib.import_module(module)
        for name, signatures in kernels.items():
            if names and name not in names:
                continue
            dispatcher = getattr(loaded, name)
            for signature in signatures:
                kinds = tuple(map(_type, signature.split()))
                dispatcher.compile(kinds)
                yield f"{module}.{name}", dispatcher.overloads[kinds]


def _type(word: str) -> Any:
    """The type of numba for a word such as ``f8[2]``: an array in one piece, or a number."""
    import numpy as np
    from numba import from_dtype, types

    kind, _, dimensions = word.partition("[")
    plain = from_dtype(np.dtype(kind))
    return types.Array(plain, int(dimensions.removesuffix("]")), "C") if dimensions else plain


def word_of(kind: Any) -> str:
    """The word of a type, as `SIGNATURES` has it; an array that may only be read is like any other."""
    import numpy as np
    from numba import types
    from numba.np.numpy_support import as_dtype

    if isinstance(kind, types.Array):
        if kind.layout != "C":
            return str(kind)
        return f"{word_of(kind.dtype)}[{kind.ndim}]"
    dtype = np.dtype(as_dtype(kind))
    return f"{dtype.kind}{dtype.itemsize}"


def _wrap(context: Any, module: Any, symbol: str, compiled: Any) -> tuple[list[str], list[str], bool]:
    """A function for C: the arguments are in slots of 64 bits, and so are the results, or the exception.

    An array is its address and its shape, preceded, as a result, by the block that is to be released.
    """
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.np.arrayobj import populate_array

    word, code = ir.IntType(64), ir.IntType(32)
    about = compiled.fndesc
    kernel = ir.Function(
        module, context.call_conv.get_function_type(about.restype, about.argtypes), about.llvm_func_name
    )
    function = ir.Function(module, ir.FunctionType(code, [word.as_pointer()] * 2), symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    given, left = function.args
    place = 0

    def take(kind: Any) -> Any:
        nonlocal place
        at = builder.bitcast(builder.gep(given, [word(place)]), kind.as_pointer())
        place += 1
        return builder.load(at)

    def give(value: Any) -> None:
        nonlocal place
        builder.store(value, builder.bitcast(builder.gep(left, [word(place)]), value.type.as_pointer()))
        place += 1

    arguments = []
    for kind in about.argtypes:
        if not isinstance(kind, types.Array):
            arguments.append(take(context.get_value_type(kind)))
            continue
        array = context.make_array(kind)(context, builder)
        data, shape = take(array.data.type), [take(word) for _ in range(kind.ndim)]
        size = word(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        strides = [size]
        for length in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
        arguments.append(array._getvalue())
    status, result = context.call_conv.call_function(
        builder, kernel, about.restype, about.argtypes, arguments
    )
    place = 0
    with builder.if_then(status.is_error, likely=False):
        give(status.excinfoptr)
        builder.ret(status.code)
    several = isinstance(about.restype, types.BaseTuple)
    kinds = [*about.restype] if several else [] if about.restype == types.none else [about.restype]
    place = 0
    for number, kind in enumerate(kinds):
        value = builder.extract_value(result, number) if several else result
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, value)
            for each in (array.meminfo, array.data, *cgutils.unpack_tuple(builder, array.shape, kind.ndim)):
                give(each)
        elif isinstance(kind, types.Float):
            give(builder.fpext(value, ir.DoubleType()) if kind.bitwidth < 64 else value)
        elif isinstance(kind, types.Boolean):
            give(builder.zext(value, word))
        else:
            give(builder.sext(value, word) if kind.bitwidth < 64 else value)
    builder.ret(code(0))
    return [word_of(kind) for kind in about.argtypes], [word_of(kind) for kind in kinds], several


def _link(scratch: Path, level: str, target: Path) -> None:
    """Link an object file with numba's allocator into a library; with the compiler of Python's extensions."""
    import numba
    import setuptools  # noqa: F401 - has distutils where Python has none

    from distutils.ccompiler import new_compiler  # isort: skip
    from distutils.sysconfig import customize_compiler  # isort: skip

    compiler = new_compiler()
    customize_compiler(compiler)
    table = json.loads((scratch / "kernels.json").read_text(encoding="utf-8"))
    names = [BEGIN, RELEASE, *(each["symbol"] for found in table.values() for each in found)]
    stubs = scratch / "stubs.cpp"
    stubs.write_text(
        '#include <stdlib.h>\nextern "C" {\nvoid *PyExc_RuntimeError = 0;\nvoid NRT_MemSys_init(void);\n'
        + f"void {BEGIN}(void) {{ NRT_MemSys_init(); }}\n"
        + "".join(f"void {name}(void) {{ abort(); }}\n" for name in STUBS)
        + "}\n"
    )
    runtime = Path(numba.__file__).parent / "core" / "runtime" / "nrt.cpp"
    windows = sys.platform == "win32"
    objects = compiler.compile(
        [str(stubs), str(runtime)],
        output_dir=str(scratch / level),
        # Not of the processor that compiles; `-march=native` may be what the user's settings ask for.
        extra_postargs=[] if windows else ["-O2", "-fno-exceptions", "-fno-rtti", "-fPIC", "-march=x86-64"],
    )
    exports = scratch / "exports"
    exports.write_text("{ global: " + " ".join(f"{name};" for name in names) + " local: *; };\n")
    compiler.link_shared_object(
        [str(scratch / f"{level}.o"), *objects],
        str(target),
        libraries=[] if windows else ["m"],
        export_symbols=names if windows else None,
        # Whatever is not in it must not be taken from the process that loads it.
        extra_postargs=[] if windows else ["-Wl,-z,defs", f"-Wl,--version-script={exports}", "-s"],
    )


if __name__ == "__main__":
    main()
