"""The file system of a table: its calls and their results."""

from hive_acid.snapshot.filesystem import FileSystem as FileSystem
from hive_acid.snapshot.listing import ListedFile as ListedFile
from hive_acid.snapshot.listing import Listing as Listing
from hive_acid.snapshot.ranged_file import RangedFile as RangedFile
from hive_acid.wire.storage import FileVersion as FileVersion
from hive_acid.wire.storage import PendingUpload as PendingUpload
from hive_acid.writing.publishing.output_rules import OutputWay as OutputWay
from hive_acid.writing.publishing.output_rules import find_output_way as find_output_way
from hive_acid.writing.publishing.output_rules import find_own_uploads as find_own_uploads
from hive_acid.writing.publishing.output_rules import find_scheme as find_scheme
