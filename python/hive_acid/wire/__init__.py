"""Everything that crosses between Python and the shim.

Each message or small family has a module; `codec` reads and writes them.
"""
