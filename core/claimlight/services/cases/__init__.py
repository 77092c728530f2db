"""The examiner's cases and their backups."""
