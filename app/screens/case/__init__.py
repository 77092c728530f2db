"""The examiner's verdicts: categories, notes, undo."""
