"""Names of the wing `hive_acid_erasure` that users import from here."""
