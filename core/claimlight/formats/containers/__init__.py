"""Archives, bundles and weekly files: cut into the documents that dialects read."""
