"""Ways to a secured metastore: logins by Kerberos, tokens and passwords, TLS, and HTTP."""
