"""The certificate: what was done and found, signed, and the page that shows it."""
