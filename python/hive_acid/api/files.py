"""Names of the files and folders of a transactional table, and the notes that lie with them."""

from hive_acid.history.note import MAX_HISTORY_BYTES as MAX_HISTORY_BYTES
from hive_acid.history.note import HistoryFile as HistoryFile
from hive_acid.history.note import WriteNote as WriteNote
from hive_acid.history.note import note_key as note_key
from hive_acid.model.names import BAR_PREFIX as BAR_PREFIX
from hive_acid.model.names import FLUSH_LENGTH_SUFFIX as FLUSH_LENGTH_SUFFIX
from hive_acid.model.names import HISTORY_FILE as HISTORY_FILE
from hive_acid.model.names import MAGIC_FOLDER_PREFIX as MAGIC_FOLDER_PREFIX
from hive_acid.model.names import METADATA_FILE as METADATA_FILE
from hive_acid.model.names import OUTPUT_JOB_PREFIX as OUTPUT_JOB_PREFIX
from hive_acid.model.names import OVERWRITE_FILE as OVERWRITE_FILE
from hive_acid.model.names import SET_ASIDE_FOLDER as SET_ASIDE_FOLDER
from hive_acid.model.names import STAGING_PREFIX as STAGING_PREFIX
from hive_acid.model.names import VERSION_FILE as VERSION_FILE
from hive_acid.model.names import VERSION_FILE_CONTENT as VERSION_FILE_CONTENT
from hive_acid.model.names import BucketFileName as BucketFileName
from hive_acid.model.names import FolderKind as FolderKind
from hive_acid.model.names import FolderName as FolderName
from hive_acid.model.names import is_base as is_base
from hive_acid.model.names import is_hidden as is_hidden
from hive_acid.model.names import may_have_side_files as may_have_side_files
from hive_acid.model.names import original_bucket as original_bucket
