"""What crosses between Python and the shim: one module per message or small family, and `codec`, which reads them."""
