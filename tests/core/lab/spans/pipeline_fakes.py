"""Two spaCy pipelines made of rules, as packages on a path: nothing is downloaded."""

import textwrap
from pathlib import Path

TOY = '''
"""A pipeline whose nouns are the words of a list; words of another list before them describe them."""
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_model_from_init_py

NOUNS = {"valve", "valves", "spring", "rod", "chamber", "plurality", "it", "12", "sensor", "\U0001d6fc"}
BEFORE = {"a", "the", "at", "least", "one", "inner", "said", "first", "of"}


@Language.component("toy_heads")
def toy_heads(doc):
    words = [token.text for token in doc]
    heads, deps, tags = list(range(len(words))), ["dep"] * len(words), ["X"] * len(words)
    noun = None
    for place in reversed(range(len(words))):
        folded = words[place].casefold()
        if folded in NOUNS:
            noun, deps[place], tags[place] = place, "dobj", "PRON" if folded == "it" else "NOUN"
        elif folded in BEFORE and folded != "of" and noun is not None:
            heads[place], deps[place] = noun, "det"
        else:
            noun = None
    spaces = [bool(token.whitespace_) for token in doc]
    return Doc(doc.vocab, words=words, spaces=spaces, heads=heads, deps=deps, pos=tags)


def load(**overrides):
    return load_model_from_init_py(__file__, **overrides)
'''


def install(folder: Path) -> None:
    """Put xx_toy (1.2.3), which finds noun chunks, and xx_bare, which has no parser, into a folder."""
    import spacy

    for name, version, component in (("xx_toy", "1.2.3", True), ("xx_bare", "0.1", False)):
        package, info = folder / name, folder / f"{name}-{version}.dist-info"
        package.mkdir()
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (package / "__init__.py").write_text(textwrap.dedent(TOY).replace("toy_heads", f"{name}_heads"))
        made = spacy.blank("en")
        made.meta.update(name=name.removeprefix("xx_"), version=version)
        data = package / f"en_{made.meta['name']}-{version}"
        made.to_disk(data)
        (package / "meta.json").write_text((data / "meta.json").read_text())
        if component:
            config = data / "config.cfg"
            text = config.read_text().replace("pipeline = []", f'pipeline = ["{name}_heads"]')
            config.write_text(
                text.replace(
                    "[components]", f'[components]\n\n[components.{name}_heads]\nfactory = "{name}_heads"'
                )
            )
