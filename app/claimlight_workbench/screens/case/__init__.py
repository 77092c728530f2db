"""The examiner's verdicts: categories, notes, undo and redo."""
