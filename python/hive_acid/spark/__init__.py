"""Names that users import from here."""
