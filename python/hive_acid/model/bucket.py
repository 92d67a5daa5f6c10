"""The 32-bit bucket property of a row ID (Hive: ql/io/BucketCodec, versions 0 and 1).

Bits: 31..29 codec version, 28 reserved, 27..16 bucket, 15..12 reserved, 11..0 statement ID.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_BUCKET = 4095
MAX_STATEMENT = 4095


@dataclass(frozen=True)
class BucketProperty:
    """The decoded property: bucket 0..4095 and statement ID 0..4095 (both inclusive)."""

    bucket: int
    statement_id: int

    def encode(self) -> int:
        """The property of codec version 1. Raises ValueError outside the bounds."""
        if not 0 <= self.bucket <= MAX_BUCKET or not 0 <= self.statement_id <= MAX_STATEMENT:
            raise ValueError(f"bucket {self.bucket} or statement ID {self.statement_id} is outside 0..4095")
        return 1 << 29 | self.bucket << 16 | self.statement_id

    @classmethod
    def decode(cls, encoded: int) -> BucketProperty:
        """From the signed or unsigned 32-bit property.

        Version 0 is the plain bucket number. Raises ValueError for other codec versions than 0 and 1, for a bucket of
        version 0 beyond 4095 and for what is no 32-bit number.
        """
        if not -(2**31) <= encoded < 2**32:
            raise ValueError(f"bucket property {encoded} has more than 32 bits")
        unsigned = encoded & 0xFFFFFFFF
        version = unsigned >> 29
        if version == 0:
            if unsigned > MAX_BUCKET:
                raise ValueError(f"bucket {unsigned} is outside 0..{MAX_BUCKET}")
            return cls(unsigned, 0)
        if version == 1:
            return cls(unsigned >> 16 & 0xFFF, unsigned & 0xFFF)
        raise ValueError(f"bucket property {encoded} has unknown codec version {version}")
