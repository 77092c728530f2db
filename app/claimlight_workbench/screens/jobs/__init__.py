"""The jobs panel: every background job of this session."""
