"""Messages between Python and the shim, as JSON: dataclasses here, case classes of the same names there."""

from hive_acid.wire.codec import read as read
from hive_acid.wire.codec import write as write
from hive_acid.wire.rewriting import Hint as Hint
