"""Widgets that know no screen: painted strips, linked text, palettes of commands."""
