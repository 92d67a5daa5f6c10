package hiveacid.search

import hiveacid.formats.orc.FileSchema
import org.apache.orc.TypeDescription
import org.apache.parquet.schema.MessageTypeParser

import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

/** Columns of files that a table has no more are told from those that it has, whatever holds them. */
final class FormerColumnsSuite extends munit.FunSuite {
  private val table = FormerColumns(
    StructType.fromDDL(
      "id INT, Email STRING, contact STRUCT<phone: STRING>, tags ARRAY<STRUCT<k: STRING>>, m MAP<STRING, INT>"
    )
  )

  private def ofOrc(schema: String): Seq[String] = {
    val file = TypeDescription.fromString(schema)
    val found = table.ofOrc(file)
    assert(found.keySet.forall(id => file.findSubtype(id).getCategory.isPrimitive))
    found.values.map(_.path).toSeq.sorted
  }

  private val gone = "struct<id:int,EMAIL:string,mail:string,contact:struct<Phone:string,fax:struct<n:string>>," +
    "tags:array<struct<k:string,v:int>>,m:map<string,int>,old:map<string,array<int>>>"

  test("columns and fields of ORC files are found by their names, whatever their case") {
    assertEquals(ofOrc(gone), Seq("contact.fax", "mail", "old", "old", "tags.v"))
    assertEquals(ofOrc("struct<id:int,email:string>"), Nil)
  }

  test("values of another shape than the table's are of a former column") {
    assertEquals(ofOrc("struct<id:int,email:struct<own:string,work:string>>"), Seq("email", "email"))
    assertEquals(ofOrc("struct<id:int,email:array<string>,contact:string>"), Seq("contact", "email"))
  }

  test("values that a column of another type cannot show are of a former column") {
    assertEquals(ofOrc("struct<id:string,email:string>"), Seq("id"))
    assertEquals(ofOrc("struct<id:bigint,email:int,m:map<string,varchar(9)>>"), Seq("id", "m"))
    assertEquals(ofOrc("struct<id:tinyint,email:bigint,contact:struct<phone:binary>>"), Nil)
    val days = FormerColumns(StructType.fromDDL("born DATE, no BOOLEAN, price DECIMAL(12,2), rate DOUBLE, raw BINARY"))
    val file = "struct<born:string,no:bigint,price:int,rate:bigint,raw:string>"
    assertEquals(days.ofOrc(TypeDescription.fromString(file)).values.map(_.path).toSet, Set("born", "no", "rate"))
    val parquet = MessageTypeParser.parseMessageType("""message m {
      optional binary id (UTF8); optional int64 email; optional group contact { optional binary phone (UTF8); }
      optional group tags (LIST) { repeated group list { optional group element { optional int32 k; } } }
      optional group m (MAP) { repeated group key_value { required binary key (UTF8); optional int64 value; } }
    }""")
    assertEquals(table.ofParquet(parquet).values.map(_.path).toSet, Set("id", "m.key_value.value"))
    val short =
      MessageTypeParser.parseMessageType("message m { optional int32 n; optional int32 m (INTEGER(32,true)); }")
    val shorts = FormerColumns(StructType.fromDDL("n SMALLINT, m SMALLINT"))
    assertEquals(shorts.ofParquet(short).values.map(_.path).toSet, Set("m"), "older writers tell no width")
  }

  test("bytes are texts, whatever their writer says of them") {
    val orc = TypeDescription.fromString("struct<id:binary,email:binary,contact:struct<phone:binary>>")
    assertEquals(table.ofOrc(orc).values.map(_.path).toSet, Set("id"))
    for (form <- Seq("(ENUM)", "(JSON)", "(BSON)", "(UTF8)", "")) {
      val file = MessageTypeParser.parseMessageType(s"message m { optional binary id $form; }")
      assertEquals(table.ofParquet(file).values.map(_.path).toSet, Set("id"), clue(form))
    }
    val fixed = "message m { optional fixed_len_byte_array(8) id; optional binary email (DECIMAL(20,0)); }"
    assertEquals(table.ofParquet(MessageTypeParser.parseMessageType(fixed)).values.map(_.path).toSet, Set("id"))
  }

  test("so are texts that are longer than the table's, and no others") {
    val short = FormerColumns(
      CharVarcharUtils.replaceCharVarcharWithStringInSchema(
        StructType.fromDDL("name VARCHAR(3), tags ARRAY<CHAR(2)>")
      )
    )
    val orc = short.ofOrc(TypeDescription.fromString("struct<name:string,tags:array<char(2)>>"))
    assertEquals(orc.values.toSet, Set(FormerColumn("name", 3)))
    assertEquals(
      short.ofOrc(TypeDescription.fromString("struct<name:varchar(3)>")).values.toSet,
      Set.empty[FormerColumn]
    )
    val parquet = MessageTypeParser.parseMessageType("message m { optional binary name (UTF8); }")
    assertEquals(short.ofParquet(parquet).values.toSet, Set(FormerColumn("name", 3)))
    for ((text, isHidden) <- Seq("Ada" -> false, "Ada  " -> false, "Adam" -> true, "\u00e4\u00f6\u00fc" -> false))
      assertEquals(FormerColumn("name", 3).hides(UTF8String.fromString(text)), isHidden, clue(text))
  }

  test("so are whole numbers with more digits than the texts of the table, and texts of writers that name no type") {
    val short = FormerColumns(
      CharVarcharUtils.replaceCharVarcharWithStringInSchema(StructType.fromDDL("id VARCHAR(3), note STRING, n INT"))
    )
    val orc = short.ofOrc(TypeDescription.fromString("struct<id:bigint,note:bigint,n:int>"))
    assertEquals(orc.values.toSet, Set(FormerColumn("id", 3)))
    assertEquals(
      short.ofOrc(TypeDescription.fromString("struct<id:tinyint>")).values.toSet,
      Set(FormerColumn("id", 3)),
      "of -128"
    )
    for ((number, isHidden) <- Seq(123L -> false, 1234L -> true, -12L -> false, -123L -> true))
      assertEquals(FormerColumn("id", 3).hides(number), isHidden, clue(number))
    val parquet = MessageTypeParser.parseMessageType(
      "message m { optional binary id; optional binary note; optional binary n; optional binary more; }"
    )
    val found = Set(FormerColumn("id", 3), FormerColumn("n"), FormerColumn("more"))
    assertEquals(short.ofParquet(parquet).values.toSet, found)
  }

  test("of columns whose names differ in case alone the first is the table's") {
    val twice = "struct<email:string,EMAIL:string,contact:struct<phone:string,PHONE:string>>"
    assertEquals(ofOrc(twice), Seq("EMAIL", "contact.PHONE"))
  }

  test("so are those in the row of a full ACID table") {
    val file = FileSchema.asRow(TypeDescription.fromString(gone))
    assertEquals(table.ofOrc(file).values.map(_.path).toSeq.sorted, ofOrc(gone))
  }

  test("columns of ORC files without names are those of their positions") {
    val five = "_col0:int,_col1:string,_col2:struct<phone:string>,_col3:array<struct<k:string>>,_col4:map<string,int>"
    assertEquals(ofOrc(s"struct<$five>"), Nil)
    assertEquals(ofOrc(s"struct<$five,_col5:string>"), Seq("_col5"))
  }

  test("columns and fields of Parquet files are found within lists and maps") {
    val file = MessageTypeParser.parseMessageType("""message m {
      optional int32 ID; optional binary mail (UTF8);
      optional group contact { optional binary phone (UTF8); optional binary fax (UTF8); }
      optional group tags (LIST) { repeated group list { optional group element {
        optional binary k (UTF8); optional int32 v; } } }
      optional group m (MAP) { repeated group key_value { required binary key (UTF8); optional int32 value; } }
      optional group old (LIST) { repeated group list { optional int32 element; } }
    }""")
    val paths = Set("mail", "contact.fax", "tags.list.element.v", "old.list.element")
    assertEquals(table.ofParquet(file).values.map(_.path).toSet, paths)
    assertEquals(table.ofParquet(file).keySet.map(_.mkString(".")), paths)
  }

  test("values of another shape in Parquet files are of a former column") {
    val file = MessageTypeParser.parseMessageType("""message m {
      optional group email { optional binary work (UTF8); }
      optional binary contact (UTF8);
      optional int32 id; optional int32 ID;
    }""")
    assertEquals(table.ofParquet(file).values.map(_.path).toSet, Set("email.work", "contact", "ID"))
  }

  test("lists of older writers are those of the table") {
    val file = MessageTypeParser.parseMessageType("""message m {
      optional group tags (LIST) { repeated group array { optional binary k (UTF8); } }
    }""")
    assertEquals(table.ofParquet(file).values.map(_.path).toSet, Set.empty[String])
    val texts = FormerColumns(StructType.fromDDL("one ARRAY<STRING>, two ARRAY<STRING>"))
    val older = MessageTypeParser.parseMessageType("""message m {
      optional group one (LIST) { repeated binary array (UTF8); } repeated binary two (UTF8);
    }""")
    assertEquals(texts.ofParquet(older).values.map(_.path).toSet, Set.empty[String])
  }
}
