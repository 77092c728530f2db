"""``models add|remove|accept|presets``: install and remove model packages."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from claimlight import settings as settings_module
from claimlight.cli.commands import LIBRARY_VARIABLE, AsJson, front_of, load_settings
from claimlight.cli.front import plain
from claimlight.cli.model_options import (
    Adapter,
    Answers,
    Dimension,
    KindOption,
    Languages,
    PoolingOption,
    Precision,
    PrecisionOption,
    Prompt,
    Task,
)
from claimlight.services.sharing.addresses import SharedAddress, is_address, read_place

if TYPE_CHECKING:
    from claimlight.cli.front import Front
    from claimlight.services.models.model_packages import AddedModel

AcceptLicence = Annotated[
    bool,
    typer.Option("--accept-licence", help="You have read the licence and will comply with it."),
]


def add_command(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="Folder or zip of a package, folder of a checkpoint, or name of an installed package; with "
            "--from-hub the name of the model on the hub.",
        ),
    ],
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Name for the installed package; default: its own.")
    ] = "",
    from_hub: Annotated[
        bool,
        typer.Option("--from-hub", help="Use the network: download SOURCE from the model hub."),
    ] = False,
    revision: Annotated[str, typer.Option("--revision", help="Branch, tag or commit on the hub.")] = "main",
    accept_licence: AcceptLicence = False,
    dimension: Dimension = 0,
    kind: KindOption = None,
    preset: Annotated[
        str,
        typer.Option(
            "--preset",
            metavar="PRESET",
            help="Known model whose prompts, pooling and licence to use (`claimlight models presets`).",
        ),
    ] = "",
    licence: Annotated[
        str, typer.Option("--licence", metavar="SPDX", help="Licence of the weights, such as Apache-2.0.")
    ] = "",
    non_commercial: Annotated[
        bool, typer.Option("--non-commercial", help="The licence forbids commercial use.")
    ] = False,
    language: Languages = None,
    precision: PrecisionOption = Precision.INT8,
    pooling: PoolingOption = None,
    task: Task = "",
    adapter: Adapter = None,
    prompt: Prompt = "",
    answer: Answers = None,
) -> None:
    """Install a model package, or make one from a checkpoint (needs claimlight[train]) and install it.

    Only safetensors and ONNX files are read; no code of a model is ever run. The network is used with
    --from-hub only.
    """
    from claimlight.services.models import model_adding

    front = front_of(context)
    wanted = model_adding.Addition(
        source=source,
        name=name,
        from_hub=from_hub,
        revision=revision,
        accept_licence=accept_licence,
        dimension=dimension,
        preset=preset,
        kind=kind.value if kind else "",
        licence=licence,
        non_commercial=non_commercial,
        languages=tuple(language or ()),
        precision=precision.value,
        pooling=pooling.value if pooling else "",
        task=task,
        adapter=adapter,
        prompt=prompt,
        answers=tuple(answer or ()),
    )
    with front.working() as working:
        added = model_adding.add(wanted, load_settings(front), working)
    if front.events:
        front.line({"event": "model_added", **plain(added)})
    _tell_added(front, added)


def _tell_added(front: Front, added: AddedModel) -> None:
    what = f"{added.dim} dimensions" if added.dim else f"a {added.role}"
    front.say(
        f"{added.name}: {added.model}, {what}, {added.bytes / 1e6:.1f} MB, {added.licence}"
        f"{'' if added.commercial else ' (not for commercial use)'}, in {added.folder}."
    )
    front.say(f"To use it: `claimlight settings set {added.role}.package {added.name}`.")


def remove_command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="PACKAGE", help="Name of an installed package.")],
    library: Annotated[
        list[str] | None,
        typer.Option(
            "--library",
            "-l",
            metavar="DIR|ADDRESS",
            help="Also check whether the index of this library, shared or not, needs it; may be repeated. "
            f"Default: the library that {LIBRARY_VARIABLE} names.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Remove it even if it is in use or an index needs it.")
    ] = False,
) -> None:
    """Delete an installed model package; refused while it is in use or an index needs it."""
    from claimlight.services.models import model_packages
    from claimlight.services.sharing.state import read_shared_encoder

    front = front_of(context)
    settings = load_settings(front)
    # Not by the option itself: where it may be repeated, the variable is split at colons or spaces.
    named = library or list(filter(None, [os.environ.get(LIBRARY_VARIABLE)]))
    places = [read_place(each) for each in named]
    gone = model_packages.remove(
        name,
        settings,
        libraries=[each for each in places if isinstance(each, Path)],
        shared={
            str(each): partial(read_shared_encoder, each)
            for each in places
            if isinstance(each, SharedAddress)
        },
        force=force,
    )
    for key in gone.keys:
        settings = settings_module.change(settings, key, "")
    if gone.keys:
        settings_module.save(settings)
    if front.events:
        front.line({"event": "model_removed", **plain(gone)})
    front.say(f"{gone.name} is removed, {gone.bytes / 1e6:.1f} MB.")
    if gone.was_in_use:
        only_second = gone.keys == ("judge.second",)
        now = "the setting judge.second is empty" if only_second else "the shipped package is used"
        front.say(f"It was in use; {now} now.", style="yellow")
    for item in gone.libraries:
        advice = (
            "semantic search in it needs the package"
            if is_address(item)
            else "run `claimlight index --rebuild`"
        )
        front.say(f"The index of {item} was made with it: {advice}.", style="yellow")
    for item in gone.unchecked:
        front.say(f"{item} could not be asked whether its index was made with it.", style="yellow")


def accept_command(
    context: typer.Context,
    package: Annotated[str, typer.Argument(metavar="PACKAGE", help="Name or folder of a package.")],
) -> None:
    """Accept the licence of a model package that does not allow commercial use."""
    from claimlight.services.models import model_packages

    front = front_of(context)
    licence = model_packages.accept(package)
    if front.events:
        front.line({"event": "licence_accepted", "package": package, "licence": licence})
    front.say(f"Accepted the licence of {package}: {licence}.")


def presets_command(context: typer.Context, as_json: AsJson = False) -> None:
    """List the published models that can be added, with their licences. Their weights are not included."""
    from claimlight.services.models import judge_packages, model_export

    front = front_of(context)
    known, judges = model_export.list_presets(), judge_packages.list_presets()
    if as_json or front.events:
        front.line({"event": "presets", "presets": plain(known), "judges": plain(judges)})
        return
    for item in known:
        licence = item.licence + ("" if item.commercial else " [yellow](not for commercial use)[/]")
        adapter = f" + {item.adapter}" if item.adapter else ""
        front.out.print(f"[bold]{escape(item.name)}[/]  {escape(item.source + adapter)}", soft_wrap=True)
        front.out.print(
            f"    {item.kind}, {item.architecture}, {item.layers} layers, {item.dim} dimensions, "
            f"{item.max_length} tokens, {licence}",
            soft_wrap=True,
        )
        if item.note:
            front.out.print(f"    {escape(item.note)}", soft_wrap=True)
    front.out.print("\n[bold]Judges[/]")
    for judge in judges:
        licence = judge.licence + ("" if judge.commercial else " [yellow](not for commercial use)[/]")
        front.out.print(f"[bold]{escape(judge.name)}[/]  {escape(judge.source)}", soft_wrap=True)
        front.out.print(
            f"    {judge.kind}, {judge.architecture}, {judge.layers} layers, {judge.max_length} tokens, "
            f"{licence}",
            soft_wrap=True,
        )
        if judge.note:
            front.out.print(f"    {escape(judge.note)}", soft_wrap=True)
