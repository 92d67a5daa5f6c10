"""Names and secrets that errors and log records must not show. Importing this imports PySpark's errors."""

from hive_acid.bridge.secrets import unlogged as unlogged
from hive_acid.errors.masking import Mask as Mask
from hive_acid.errors.masking import asking as asking
from hive_acid.errors.masking import mask_own as mask_own
from hive_acid.errors.masking import masked as masked
