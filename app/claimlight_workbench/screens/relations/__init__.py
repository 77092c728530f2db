"""What the document on view belongs to: its family, and citations both ways."""
