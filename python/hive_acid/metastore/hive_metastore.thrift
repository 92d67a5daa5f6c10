// The part of the Hive Metastore's wire protocol that this project speaks.
//
// One file serves the releases 3.1 to 4.2: field and method numbers are facts of the protocol; what some releases do
// not know is optional and stays unset for them. Left out on purpose:
//   - the base service of the original, but for its getVersion (health calls that we do not make);
//   - field 3 of SkewedInfo, whose map has lists as keys, which Python cannot hold (readers skip unknown fields;
//     the client does not write such tables back).
//
// After a change, from the top of the repository, with the thrift compiler 0.17 or later:
//   thrift --gen py -out python/hive_acid/metastore python/hive_acid/metastore/hive_metastore.thrift
//   rm python/hive_acid/metastore/generated/*-remote
//   sha256sum < python/hive_acid/metastore/hive_metastore.thrift > python/hive_acid/metastore/generated/idl.sha256

namespace py generated

// ---- enumerations

enum TxnState { COMMITTED = 1, ABORTED = 2, OPEN = 3 }
enum TxnType {
  DEFAULT = 0, REPL_CREATED = 1, READ_ONLY = 2, COMPACTION = 3, MATER_VIEW_REBUILD = 4, SOFT_DELETE = 5,
  REBALANCE_COMPACTION = 6
}
enum LockLevel { DB = 1, TABLE = 2, PARTITION = 3 }
enum LockState { ACQUIRED = 1, WAITING = 2, ABORT = 3, NOT_ACQUIRED = 4 }
enum LockType { SHARED_READ = 1, SHARED_WRITE = 2, EXCLUSIVE = 3, EXCL_WRITE = 4 }
enum CompactionType { MINOR = 1, MAJOR = 2, REBALANCE = 3, ABORT_TXN_CLEANUP = 4, SMART_OPTIMIZE = 5 }
enum DataOperationType { SELECT = 1, INSERT = 2, UPDATE = 3, DELETE = 4, UNSET = 5, NO_TXN = 6 }
enum ClientCapability { TEST_CAPABILITY = 1, INSERT_ONLY_TABLES = 2 }
enum PrincipalType { USER = 1, ROLE = 2, GROUP = 3 }
enum SerdeType { HIVE = 1, SCHEMA_REGISTRY = 2 }

// ---- exceptions

exception MetaException { 1: string message }
exception UnknownDBException { 1: string message }
exception AlreadyExistsException { 1: string message }
exception InvalidObjectException { 1: string message }
exception NoSuchObjectException { 1: string message }
exception InvalidOperationException { 1: string message }
exception InvalidInputException { 1: string message }
exception ConfigValSecurityException { 1: string message }
exception NoSuchTxnException { 1: string message }
exception TxnAbortedException { 1: string message }
exception TxnOpenException { 1: string message }
exception NoSuchLockException { 1: string message }

// ---- transactions and write IDs

struct GetOpenTxnsRequest { 1: optional list<TxnType> excludeTxnTypes }
struct GetOpenTxnsResponse {
  1: required i64 txn_high_water_mark
  2: required list<i64> open_txns
  3: optional i64 min_open_txn
  4: required binary abortedBits
}
struct TxnInfo {
  1: required i64 id
  2: required TxnState state
  3: required string user
  4: required string hostname
  5: optional string agentInfo
  6: optional i32 heartbeatCount
  7: optional string metaInfo
  8: optional i64 startedTime
  9: optional i64 lastHeartbeatTime
}
struct GetOpenTxnsInfoResponse {
  1: required i64 txn_high_water_mark
  2: required list<TxnInfo> open_txns
}
struct OpenTxnRequest {
  1: required i32 num_txns
  2: required string user
  3: required string hostname
  4: optional string agentInfo
  5: optional string replPolicy
  6: optional list<i64> replSrcTxnIds
  7: optional TxnType txn_type
}
struct OpenTxnsResponse { 1: required list<i64> txn_ids }
struct AbortTxnRequest {
  1: required i64 txnid
  2: optional string replPolicy
  3: optional TxnType txn_type
  4: optional i64 errorCode
}
struct AbortTxnsRequest {
  1: required list<i64> txn_ids
  2: optional i64 errorCode
}
// The server takes an unset exclWriteEnabled for true.
struct CommitTxnRequest {
  1: required i64 txnid
  2: optional string replPolicy
  6: optional bool exclWriteEnabled
  7: optional TxnType txn_type
}
struct HeartbeatRequest {
  1: optional i64 lockid
  2: optional i64 txnid
}
// validTxnList is required by 3.1 and optional later: without it a server takes what is committed now.
struct GetValidWriteIdsRequest {
  1: required list<string> fullTableNames
  2: string validTxnList
  3: optional i64 writeId
}
struct TableValidWriteIds {
  1: required string fullTableName
  2: required i64 writeIdHighWaterMark
  3: required list<i64> invalidWriteIds
  4: optional i64 minOpenWriteId
  5: required binary abortedBits
}
struct GetValidWriteIdsResponse { 1: required list<TableValidWriteIds> tblValidWriteIds }
struct TxnToWriteId {
  1: required i64 txnId
  2: required i64 writeId
}
struct AllocateTableWriteIdsRequest {
  1: required string dbName
  2: required string tableName
  3: optional list<i64> txnIds
  4: optional string replPolicy
  5: optional list<TxnToWriteId> srcTxnToWriteIdList
  6: optional bool reallocate
}
struct ReplTblWriteIdStateRequest {
  1: required string validWriteIdlist
  2: required string user
  3: required string hostName
  4: required string dbName
  5: required string tableName
  6: optional list<string> partNames
}
struct AllocateTableWriteIdsResponse { 1: required list<TxnToWriteId> txnToWriteIds }
struct AddDynamicPartitions {
  1: required i64 txnid
  2: required i64 writeid
  3: required string dbname
  4: required string tablename
  5: required list<string> partitionnames
  6: optional DataOperationType operationType
}

// ---- locks

struct LockComponent {
  1: required LockType type
  2: required LockLevel level
  3: required string dbname
  4: optional string tablename
  5: optional string partitionname
  6: optional DataOperationType operationType
  7: optional bool isTransactional
  8: optional bool isDynamicPartitionWrite
}
struct LockRequest {
  1: required list<LockComponent> component
  2: optional i64 txnid
  3: required string user
  4: required string hostname
  5: optional string agentInfo
  6: optional bool zeroWaitReadEnabled
  7: optional bool exclusiveCTAS
  8: optional bool locklessReadsEnabled
}
struct LockResponse {
  1: required i64 lockid
  2: required LockState state
  3: optional string errorMessage
}
struct CheckLockRequest {
  1: required i64 lockid
  2: optional i64 txnid
  3: optional i64 elapsed_ms
}
struct UnlockRequest { 1: required i64 lockid }
struct ShowLocksRequest {
  1: optional string dbname
  2: optional string tablename
  3: optional string partname
  4: optional bool isExtended
  5: optional i64 txnid
}
struct ShowLocksResponseElement {
  1: required i64 lockid
  2: required string dbname
  3: optional string tablename
  4: optional string partname
  5: required LockState state
  6: required LockType type
  7: optional i64 txnid
  8: required i64 lastheartbeat
  9: optional i64 acquiredat
  10: required string user
  11: required string hostname
  12: optional i32 heartbeatCount
  13: optional string agentInfo
  14: optional i64 blockedByExtId
  15: optional i64 blockedByIntId
  16: optional i64 lockIdInternal
}
struct ShowLocksResponse { 1: list<ShowLocksResponseElement> locks }

// ---- compaction (a worker's side exists from 4.0 on)

struct CompactionRequest {
  1: required string dbname
  2: required string tablename
  3: optional string partitionname
  4: required CompactionType type
  5: optional string runas
  6: optional map<string, string> properties
  7: optional string initiatorId
  8: optional string initiatorVersion
  9: optional string poolName
  10: optional i32 numberOfBuckets
  11: optional string orderByClause
}
struct CompactionResponse {
  1: required i64 id
  2: required string state
  3: required bool accepted
  4: optional string errormessage
}
struct CompactionInfoStruct {
  1: required i64 id
  2: required string dbname
  3: required string tablename
  4: optional string partitionname
  5: required CompactionType type
  6: optional string runas
  7: optional string properties
  8: optional bool toomanyaborts
  9: optional string state
  10: optional string workerId
  11: optional i64 start
  12: optional i64 highestWriteId
  13: optional string errorMessage
  14: optional bool hasoldabort
  15: optional i64 enqueueTime
  16: optional i64 retryRetention
  17: optional string poolname
  18: optional i32 numberOfBuckets
  19: optional string orderByClause
}
struct OptionalCompactionInfoStruct { 1: optional CompactionInfoStruct ci }
struct FindNextCompactRequest {
  1: optional string workerId
  2: optional string workerVersion
  3: optional string poolName
}
// Without fields every release answers with all entries; the fields of later releases are left out.
struct AbortCompactionRequest {
  1: required list<i64> compactionIds
  2: optional string type
  3: optional string poolName
}
struct AbortCompactionResponseElement {
  1: required i64 compactionId
  2: optional string status
  3: optional string message
}
struct AbortCompactResponse { 1: required map<i64, AbortCompactionResponseElement> abortedcompacts }
struct ShowCompactRequest {}
struct ShowCompactResponseElement {
  1: required string dbname
  2: required string tablename
  3: optional string partitionname
  4: required CompactionType type
  5: required string state
  6: optional string workerid
  7: optional i64 start
  8: optional string runAs
  9: optional i64 hightestTxnId
  10: optional string metaInfo
  11: optional i64 endTime
  12: optional string hadoopJobId
  13: optional i64 id
  14: optional string errorMessage
  15: optional i64 enqueueTime
  16: optional string workerVersion
  17: optional string initiatorId
  18: optional string initiatorVersion
  19: optional i64 cleanerStart
  20: optional string poolName
  21: optional i64 nextTxnId
  22: optional i64 txnId
  23: optional i64 commitTime
  24: optional i64 hightestWriteId
}
struct ShowCompactResponse { 1: required list<ShowCompactResponseElement> compacts }

// ---- tables and partitions

struct FieldSchema {
  1: string name
  2: string type
  3: string comment
}
struct Order {
  1: string col
  2: i32 order
}
struct SerDeInfo {
  1: string name
  2: string serializationLib
  3: map<string, string> parameters
  4: optional string description
  5: optional string serializerClass
  6: optional string deserializerClass
  7: optional SerdeType serdeType
}
struct SkewedInfo {
  1: list<string> skewedColNames
  2: list<list<string>> skewedColValues
}
struct StorageDescriptor {
  1: list<FieldSchema> cols
  2: string location
  3: string inputFormat
  4: string outputFormat
  5: bool compressed
  6: i32 numBuckets
  7: SerDeInfo serdeInfo
  8: list<string> bucketCols
  9: list<Order> sortCols
  10: map<string, string> parameters
  11: optional SkewedInfo skewedInfo
  12: optional bool storedAsSubDirectories
}
struct PrivilegeGrantInfo {
  1: string privilege
  2: i32 createTime
  3: string grantor
  4: PrincipalType grantorType
  5: bool grantOption
}
struct PrincipalPrivilegeSet {
  1: map<string, list<PrivilegeGrantInfo>> userPrivileges
  2: map<string, list<PrivilegeGrantInfo>> groupPrivileges
  3: map<string, list<PrivilegeGrantInfo>> rolePrivileges
}
struct Table {
  1: string tableName
  2: string dbName
  3: string owner
  4: i32 createTime
  5: i32 lastAccessTime
  6: i32 retention
  7: StorageDescriptor sd
  8: list<FieldSchema> partitionKeys
  9: map<string, string> parameters
  10: string viewOriginalText
  11: string viewExpandedText
  12: string tableType
  13: optional PrincipalPrivilegeSet privileges
  14: optional bool temporary
  15: optional bool rewriteEnabled
  17: optional string catName
  18: optional PrincipalType ownerType
  19: optional i64 writeId
  25: optional i64 id
}
struct Partition {
  1: list<string> values
  2: string dbName
  3: string tableName
  4: i32 createTime
  5: i32 lastAccessTime
  6: StorageDescriptor sd
  7: map<string, string> parameters
  8: optional PrincipalPrivilegeSet privileges
  9: optional string catName
  10: optional i64 writeId
}
struct EnvironmentContext { 1: map<string, string> properties }
struct ClientCapabilities { 1: required list<ClientCapability> values }
struct GetTableRequest {
  1: required string dbName
  2: required string tblName
  3: optional ClientCapabilities capabilities
  4: optional string catName
  6: optional string validWriteIdList
  8: optional list<string> processorCapabilities
  9: optional string processorIdentifier
}
struct GetTableResult { 1: required Table table }
struct CreateTableRequest {
  1: required Table table
  2: optional EnvironmentContext envContext
  9: optional list<string> processorCapabilities
  10: optional string processorIdentifier
}
struct AlterTableRequest {
  1: optional string catName
  2: required string dbName
  3: required string tableName
  4: required Table table
  5: optional EnvironmentContext environmentContext
  6: optional i64 writeId
  7: optional string validWriteIdList
  8: optional list<string> processorCapabilities
  9: optional string processorIdentifier
  10: optional string expectedParameterKey
  11: optional string expectedParameterValue
}
struct AlterTableResponse {}
// Of the statistics only the least and the greatest values, which texts and booleans have none of.
struct DoubleColumnStatsData { 1: optional double lowValue, 2: optional double highValue }
struct LongColumnStatsData { 1: optional i64 lowValue, 2: optional i64 highValue }
struct Decimal { 1: required binary unscaled, 3: required i16 scale }
struct DecimalColumnStatsData { 1: optional Decimal lowValue, 2: optional Decimal highValue }
struct Date { 1: required i64 daysSinceEpoch }
struct DateColumnStatsData { 1: optional Date lowValue, 2: optional Date highValue }
struct Timestamp { 1: required i64 secondsSinceEpoch }
struct TimestampColumnStatsData { 1: optional Timestamp lowValue, 2: optional Timestamp highValue }
union ColumnStatisticsData {
  2: LongColumnStatsData longStats
  3: DoubleColumnStatsData doubleStats
  6: DecimalColumnStatsData decimalStats
  7: DateColumnStatsData dateStats
  8: TimestampColumnStatsData timestampStats
}
// Only ever sent within an empty list of columns, where statsData, which the original requires, is not missed.
struct ColumnStatisticsObj {
  1: required string colName
  2: required string colType
  3: optional ColumnStatisticsData statsData
}
struct TableStatsRequest {
  1: required string dbName
  2: required string tblName
  3: required list<string> colNames
  4: optional string catName
  6: optional string engine
}
struct TableStatsResult { 1: required list<ColumnStatisticsObj> tableStats }
struct PartitionsStatsRequest {
  1: required string dbName
  2: required string tblName
  3: required list<string> colNames
  4: required list<string> partNames
  5: optional string catName
  7: optional string engine
}
struct PartitionsStatsResult { 1: required map<string, list<ColumnStatisticsObj>> partStats }
struct ColumnStatisticsDesc {
  1: required bool isTblLevel
  2: required string dbName
  3: required string tableName
  4: optional string partName
  5: optional i64 lastAnalyzed
  6: optional string catName
}
struct ColumnStatistics {
  1: required ColumnStatisticsDesc statsDesc
  2: required list<ColumnStatisticsObj> statsObj
  3: optional bool isStatsCompliant
  4: optional string engine
}
struct SetPartitionsStatsRequest {
  1: required list<ColumnStatistics> colStats
  2: optional bool needMerge
  3: optional i64 writeId
  4: optional string validWriteIdList
  5: optional string engine
}
struct SetPartitionsStatsResponse { 1: required bool result }
struct AlterPartitionsRequest {
  1: optional string catName
  2: required string dbName
  3: required string tableName
  4: required list<Partition> partitions
  5: optional EnvironmentContext environmentContext
  6: optional i64 writeId
  7: optional string validWriteIdList
}
struct AlterPartitionsResponse {}
struct AddPartitionsRequest {
  1: required string dbName
  2: required string tblName
  3: required list<Partition> parts
  4: required bool ifNotExists
  5: optional bool needResult
  6: optional string catName
  7: optional string validWriteIdList
}
struct AddPartitionsResult { 1: optional list<Partition> partitions }
struct GetDatabaseRequest { 1: optional string name, 2: optional string catalogName }
struct Database {
  1: string name
  2: string description
  3: string locationUri
  4: map<string, string> parameters
  5: optional PrincipalPrivilegeSet privileges
  6: optional string ownerName
  7: optional PrincipalType ownerType
  8: optional string catalogName
  9: optional i32 createTime
  10: optional string managedLocationUri
}
struct Catalog { 1: string name, 2: optional string description, 3: string locationUri, 4: optional i32 createTime }
struct CreateCatalogRequest { 1: Catalog catalog }
struct GetCatalogsResponse { 1: list<string> names }

// ---- the service

// ---- what listeners are told

struct InsertEventRequestData {
  1: optional bool replace
  2: required list<string> filesAdded
  3: optional list<string> filesAddedChecksum
  4: optional list<string> subDirectoryList
  5: optional list<string> partitionVal
}
struct WriteNotificationLogRequest {
  1: required i64 txnId
  2: required i64 writeId
  3: required string db
  4: required string table
  5: required InsertEventRequestData fileInfo
  6: optional list<string> partitionVals
}
struct WriteNotificationLogResponse {}
struct WriteNotificationLogBatchRequest {
  1: required string catalog
  2: required string db
  3: required string table
  4: required list<WriteNotificationLogRequest> requestList
}
struct WriteNotificationLogBatchResponse {}
union FireEventRequestData { 1: optional InsertEventRequestData insertData }
struct FireEventRequest {
  1: required bool successful
  2: required FireEventRequestData data
  3: optional string dbName
  4: optional string tableName
  5: optional list<string> partitionVals
  6: optional string catName
}
struct FireEventResponse { 1: optional list<i64> eventIds }
struct NotificationEventRequest { 1: required i64 lastEvent, 2: optional i32 maxEvents }
struct NotificationEvent {
  1: required i64 eventId
  2: required i32 eventTime
  3: required string eventType
  4: optional string dbName
  5: optional string tableName
  6: required string message
  7: optional string messageFormat
  8: optional string catName
}
struct NotificationEventResponse { 1: required list<NotificationEvent> events }
struct GetAllWriteEventInfoRequest { 1: required i64 txnId, 2: optional string dbName, 3: optional string tableName }
struct WriteEventInfo {
  1: required i64 writeId
  2: required string database
  3: required string table
  4: required string files
  5: optional string partition
  6: optional string tableObj
  7: optional string partitionObj
}

// ---- constraints

struct SQLNotNullConstraint {
  1: string catName, 2: string table_db, 3: string table_name, 4: string column_name, 5: string nn_name,
  6: bool enable_cstr, 7: bool validate_cstr, 8: bool rely_cstr
}
struct SQLDefaultConstraint {
  1: string catName, 2: string table_db, 3: string table_name, 4: string column_name, 5: string default_value,
  6: string dc_name, 7: bool enable_cstr, 8: bool validate_cstr, 9: bool rely_cstr
}
struct SQLCheckConstraint {
  1: string catName, 2: string table_db, 3: string table_name, 4: string column_name, 5: string check_expression,
  6: string dc_name, 7: bool enable_cstr, 8: bool validate_cstr, 9: bool rely_cstr
}
struct NotNullConstraintsRequest { 1: required string catName, 2: required string db_name, 3: required string tbl_name }
struct NotNullConstraintsResponse { 1: required list<SQLNotNullConstraint> notNullConstraints }
struct DefaultConstraintsRequest { 1: required string catName, 2: required string db_name, 3: required string tbl_name }
struct DefaultConstraintsResponse { 1: required list<SQLDefaultConstraint> defaultConstraints }
struct CheckConstraintsRequest { 1: required string catName, 2: required string db_name, 3: required string tbl_name }
struct CheckConstraintsResponse { 1: required list<SQLCheckConstraint> checkConstraints }
struct AddNotNullConstraintRequest { 1: required list<SQLNotNullConstraint> notNullConstraintCols }
struct AddDefaultConstraintRequest { 1: required list<SQLDefaultConstraint> defaultConstraintCols }
struct AddCheckConstraintRequest { 1: required list<SQLCheckConstraint> checkConstraintCols }

service ThriftHiveMetastore {
  list<string> set_ugi(1: string user_name, 2: list<string> group_names) throws (1: MetaException o1)
  string getVersion()
  string get_config_value(1: string name, 2: string defaultValue) throws (1: ConfigValSecurityException o1)

  GetOpenTxnsResponse get_open_txns()
  GetOpenTxnsResponse get_open_txns_req(1: GetOpenTxnsRequest request)
  GetOpenTxnsInfoResponse get_open_txns_info()
  OpenTxnsResponse open_txns(1: OpenTxnRequest rqst)
  void abort_txn(1: AbortTxnRequest rqst) throws (1: NoSuchTxnException o1)
  void commit_txn(1: CommitTxnRequest rqst) throws (1: NoSuchTxnException o1, 2: TxnAbortedException o2)
  void heartbeat(1: HeartbeatRequest ids)
    throws (1: NoSuchLockException o1, 2: NoSuchTxnException o2, 3: TxnAbortedException o3)
  GetValidWriteIdsResponse get_valid_write_ids(1: GetValidWriteIdsRequest rqst)
    throws (1: NoSuchTxnException o1, 2: MetaException o2)
  AllocateTableWriteIdsResponse allocate_table_write_ids(1: AllocateTableWriteIdsRequest rqst)
    throws (1: NoSuchTxnException o1, 2: TxnAbortedException o2, 3: MetaException o3)
  void repl_tbl_writeid_state(1: ReplTblWriteIdStateRequest rqst)
  void add_write_ids_to_min_history(1: i64 txnId, 2: map<string, i64> writeIds)
    throws (1: MetaException o1)
  void abort_txns(1: AbortTxnsRequest rqst) throws (1: NoSuchTxnException o1)
  i64 get_latest_txnid_in_conflict(1: i64 txnId) throws (1: MetaException o1)
  void add_dynamic_partitions(1: AddDynamicPartitions rqst)
    throws (1: NoSuchTxnException o1, 2: TxnAbortedException o2)

  LockResponse lock(1: LockRequest rqst) throws (1: NoSuchTxnException o1, 2: TxnAbortedException o2)
  LockResponse check_lock(1: CheckLockRequest rqst)
    throws (1: NoSuchTxnException o1, 2: TxnAbortedException o2, 3: NoSuchLockException o3)
  void unlock(1: UnlockRequest rqst) throws (1: NoSuchLockException o1, 2: TxnOpenException o2)
  ShowLocksResponse show_locks(1: ShowLocksRequest rqst)

  CompactionResponse compact2(1: CompactionRequest rqst)
  ShowCompactResponse show_compact(1: ShowCompactRequest rqst)
  AbortCompactResponse abort_Compactions(1: AbortCompactionRequest rqst)
  OptionalCompactionInfoStruct find_next_compact2(1: FindNextCompactRequest rqst) throws (1: MetaException o1)
  void update_compactor_state(1: CompactionInfoStruct cr, 2: i64 txn_id)
  void mark_compacted(1: CompactionInfoStruct cr) throws (1: MetaException o1)
  void mark_failed(1: CompactionInfoStruct cr) throws (1: MetaException o1)
  void mark_refused(1: CompactionInfoStruct cr) throws (1: MetaException o1)

  GetCatalogsResponse get_catalogs() throws (1: MetaException o1)
  void create_catalog(1: CreateCatalogRequest catalog)
    throws (1: AlreadyExistsException o1, 2: InvalidObjectException o2, 3: MetaException o3)
  list<string> get_databases(1: string pattern) throws (1: MetaException o1)
  list<string> get_all_databases() throws (1: MetaException o1)
  list<string> get_all_tables(1: string db_name) throws (1: MetaException o1)

  Database get_database_req(1: GetDatabaseRequest request) throws (1: NoSuchObjectException o1, 2: MetaException o2)
  Table get_table(1: string dbname, 2: string tbl_name) throws (1: MetaException o1, 2: NoSuchObjectException o2)
  GetTableResult get_table_req(1: GetTableRequest req) throws (1: MetaException o1, 2: NoSuchObjectException o2)
  void create_table(1: Table tbl)
    throws (1: AlreadyExistsException o1, 2: InvalidObjectException o2, 3: MetaException o3, 4: NoSuchObjectException o4)
  void create_table_req(1: CreateTableRequest request)
    throws (1: AlreadyExistsException o1, 2: InvalidObjectException o2, 3: MetaException o3, 4: NoSuchObjectException o4)
  void drop_table_with_environment_context(
      1: string dbname, 2: string name, 3: bool deleteData, 4: EnvironmentContext environment_context)
    throws (1: NoSuchObjectException o1, 2: MetaException o3)
  void alter_table_with_environment_context(
      1: string dbname, 2: string tbl_name, 3: Table new_tbl, 4: EnvironmentContext environment_context)
    throws (1: InvalidOperationException o1, 2: MetaException o2)
  SetPartitionsStatsResponse update_table_column_statistics_req(1: SetPartitionsStatsRequest req)
    throws (1: NoSuchObjectException o1, 2: InvalidObjectException o2, 3: MetaException o3, 4: InvalidInputException o4)
  SetPartitionsStatsResponse update_partition_column_statistics_req(1: SetPartitionsStatsRequest req)
    throws (1: NoSuchObjectException o1, 2: InvalidObjectException o2, 3: MetaException o3, 4: InvalidInputException o4)
  AlterTableResponse alter_table_req(1: AlterTableRequest req)
    throws (1: InvalidOperationException o1, 2: MetaException o2)

  TableStatsResult get_table_statistics_req(1: TableStatsRequest request)
    throws (1: NoSuchObjectException o1, 2: MetaException o2)
  PartitionsStatsResult get_partitions_statistics_req(1: PartitionsStatsRequest request)
    throws (1: NoSuchObjectException o1, 2: MetaException o2)
  NotNullConstraintsResponse get_not_null_constraints(1: NotNullConstraintsRequest request)
    throws (1: MetaException o1, 2: NoSuchObjectException o2)
  DefaultConstraintsResponse get_default_constraints(1: DefaultConstraintsRequest request)
    throws (1: MetaException o1, 2: NoSuchObjectException o2)
  CheckConstraintsResponse get_check_constraints(1: CheckConstraintsRequest request)
    throws (1: MetaException o1, 2: NoSuchObjectException o2)
  void add_not_null_constraint(1: AddNotNullConstraintRequest req)
    throws (1: NoSuchObjectException o1, 2: MetaException o2)
  void add_default_constraint(1: AddDefaultConstraintRequest req)
    throws (1: NoSuchObjectException o1, 2: MetaException o2)
  void add_check_constraint(1: AddCheckConstraintRequest req)
    throws (1: NoSuchObjectException o1, 2: MetaException o2)

  list<string> get_partition_names(1: string db_name, 2: string tbl_name, 3: i16 max_parts = -1)
    throws (1: NoSuchObjectException o1, 2: MetaException o2)
  list<Partition> get_partitions_by_names(1: string db_name, 2: string tbl_name, 3: list<string> names)
    throws (1: MetaException o1, 2: NoSuchObjectException o2, 3: InvalidObjectException o3)
  AddPartitionsResult add_partitions_req(1: AddPartitionsRequest request)
    throws (1: InvalidObjectException o1, 2: AlreadyExistsException o2, 3: MetaException o3)
  void alter_partitions_with_environment_context(
      1: string db_name, 2: string tbl_name, 3: list<Partition> new_parts, 4: EnvironmentContext environment_context)
    throws (1: InvalidOperationException o1, 2: MetaException o2)
  AlterPartitionsResponse alter_partitions_req(1: AlterPartitionsRequest req)
    throws (1: InvalidOperationException o1, 2: MetaException o2)

  void create_database(1: Database database)
    throws (1: AlreadyExistsException o1, 2: InvalidObjectException o2, 3: MetaException o3)
  void drop_database(1: string name, 2: bool deleteData, 3: bool cascade)
    throws (1: NoSuchObjectException o1, 2: InvalidOperationException o2, 3: MetaException o3)

  WriteNotificationLogResponse add_write_notification_log(1: WriteNotificationLogRequest rqst)
  WriteNotificationLogBatchResponse add_write_notification_log_in_batch(1: WriteNotificationLogBatchRequest rqst)
  FireEventResponse fire_listener_event(1: FireEventRequest rqst)
  NotificationEventResponse get_next_notification(1: NotificationEventRequest rqst)
  list<WriteEventInfo> get_all_write_event_info(1: GetAllWriteEventInfoRequest request) throws (1: MetaException o1)
}
