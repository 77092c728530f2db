"""What a search costs against what it finds."""
