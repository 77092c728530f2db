"""Names of languages."""

from claimlight.types.languages import names_of


def test_serbo_croatian_of_former_yugoslavia_has_a_name() -> None:
    assert names_of(["de", "sh", "xx"]) == "German, Serbo-Croatian and xx"
