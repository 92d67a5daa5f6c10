from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.model.bucket import BucketProperty


@given(st.integers(0, 4095), st.integers(0, 4095))
def test_an_encoded_bucket_property_decodes_to_itself(bucket: int, statement_id: int) -> None:
    prop = BucketProperty(bucket, statement_id)
    assert BucketProperty.decode(prop.encode()) == prop


@pytest.mark.parametrize(
    ("encoded", "bucket", "statement_id"),
    [
        (536870912, 0, 0),
        (536870913, 0, 1),
        (536936448, 1, 0),
        (537001984, 2, 0),
        (536936450, 1, 2),
        (805240832, 4095, 0),
    ],
)
def test_properties_that_hive_wrote(encoded: int, bucket: int, statement_id: int) -> None:
    assert BucketProperty.decode(encoded) == BucketProperty(bucket, statement_id)
    assert BucketProperty(bucket, statement_id).encode() == encoded


def test_codec_version_0_is_the_plain_bucket_number() -> None:
    assert BucketProperty.decode(3) == BucketProperty(3, 0)


@pytest.mark.parametrize("encoded", [2 << 29, -1, -(2**31), 7 << 29, 4096, 2**32, -(2**31) - 1])
def test_unknown_codec_versions_and_impossible_numbers_are_refused(encoded: int) -> None:
    with pytest.raises(ValueError, match="bucket"):
        BucketProperty.decode(encoded)


@pytest.mark.parametrize(("bucket", "statement_id"), [(4096, 0), (0, 4096), (-1, 0), (0, -1)])
def test_buckets_and_statements_beyond_the_bits_are_not_encoded(bucket: int, statement_id: int) -> None:
    with pytest.raises(ValueError, match="outside"):
        BucketProperty(bucket, statement_id).encode()
