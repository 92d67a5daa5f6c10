package hiveacid.orc

import org.apache.spark.sql.types.StructType

/** Files that were written before the table was changed. */
class EvolutionSuite extends AcidOrcSuite {

  private def read(t: Table, ddl: String) = t.read(schema = StructType.fromDDL(ddl))

  private def written(rowType: String, query: String): Table = {
    val t = new Table("unused int", rowType)
    t.insert(spark.sql(query))
    t
  }

  test("a column that was added, dropped or moved is found by its name, whatever its case") {
    val t = written("struct<a:int,b:string,c:double>", "select 1 as a, 'x' as b, 2.5d as c")
    assertEquals(read(t, "C double, added string, A int").head().toString, "[2.5,null,1]")
    assertEquals(read(t, "added int").head().toString, "[null]")
    assertEquals(read(t, "a int, added int").where("added is null and a = 1").count(), 1L)
    assertEquals(read(t, "a int, added int").where("added = 1").count(), 0L)
  }

  test("nested fields are found by name, and elements of arrays and maps with them") {
    val t = written(
      "struct<s:struct<x:int,y:string>,l:array<struct<k:int,v:string>>,m:map<string,struct<p:int>>>",
      "select named_struct('x', 1, 'y', 'a') as s, array(named_struct('k', 2, 'v', 'b'), null) as l, " +
        "map('q', named_struct('p', 3)) as m"
    )
    val ddl = "m map<string,struct<n:string,p:bigint>>, s struct<z:int,Y:string>, l array<struct<v:string,w:date>>"
    assertEquals(
      read(t, ddl).selectExpr("to_json(m)", "s", "l").head().toString,
      """[{"q":{"p":3}},[null,a],ArraySeq([b,null], null)]"""
    )
    assertEquals(read(t, ddl).selectExpr("s.y", "l.v").head().toString, "[a,ArraySeq(b, null)]")
  }

  test("a file whose columns have no names is read by position") {
    val t = written("struct<_col0:int,_col1:string,_col2:double>", "select 1 as a, 'x' as b, 2.5d as c")
    t.delete("false")
    val all = read(t, "a int, b string, c double, d int")
    assertEquals(all.head().toString, "[1,x,2.5,null]")
    assertEquals(all.select("c").head().toString, "[2.5]")
    assertEquals(all.select("d", "b").head().toString, "[null,x]")
    assertEquals(all.where("b = 'x' and c > 2").select("a").head().toString, "[1]")
    assertEquals(read(t, "a bigint, b string").select("b", "a").head().toString, "[x,1]")
  }

  test("numbers widen, and everything but binary becomes text") {
    val t = written(
      "struct<a:tinyint,b:int,c:float,d:decimal(5,2),e:int,f:bigint,g:date,h:varchar(5)>",
      "select 1Y as a, 2 as b, cast(1.5 as float) as c, 3.25BD as d, 7 as e, 8L as f, date'2020-02-02' as g, 'vc' as h"
        .replace("3.25BD", "cast(3.25 as decimal(5,2))")
    )
    val ddl = "a bigint, b double, c double, d decimal(20,4), e string, f decimal(19,0), g string, h string"
    assertEquals(read(t, ddl).head().toString, "[1,2.0,1.5,3.2500,7,8,2020-02-02,vc]")
    assertEquals(read(t, ddl).where("a = 1 and b = 2 and e = '7' and d = 3.25").count(), 1L)
    assertEquals(read(t, ddl).where("a > 1 or b > 2 or e = '8'").count(), 0L)
  }

  test("text becomes a number where it is one, else NULL, and a date the timestamp of its midnight") {
    val t = written(
      "struct<a:string,b:varchar(9),c:char(9),d:string,e:date>",
      "select '12' as a, '1.5' as b, '-7' as c, 'abc' as d, date'1500-03-01' as e union all " +
        "select '300', '1e3', '', ' 12 ', null"
    )
    val ddl = "a tinyint, b double, c bigint, d decimal(10,2), e timestamp"
    withConf("spark.sql.session.timeZone" -> "UTC") {
      assertEquals(
        read(t, ddl).orderBy("b").collect().map(_.toString).toSeq,
        Seq("[12,1.5,-7,null,1500-03-01T00:00:00Z]", "[null,1000.0,null,12.00,null]")
      )
    }
    assertEquals(read(t, ddl).where("a = 12 and b > 1 and c < 0").count(), 1L)
    assertEquals(read(t, ddl).where("a is null").count(), 1L)
  }

  test("by position, a renamed column keeps its values, and filters with the new names find them") {
    val t = written("struct<a:string,b:string,c:int>", "select 'was a' as a, 'was b' as b, 5 as c")
    t.byPosition = true
    val swapped = "b string, a string, n bigint, added int"
    assertEquals(read(t, swapped).head().toString, "[was a,was b,5,null]")
    assertEquals(read(t, swapped).select("added", "a").head().toString, "[null,was b]")
    for (found <- Seq("b = 'was a'", "a = 'was b'", "n = 5", "added is null", "a > 'was a'"))
      assertEquals(read(t, swapped).where(found).count(), 1L, found)
    for (lost <- Seq("a = 'was a'", "b = 'was b'", "n > 5", "added = 1"))
      assertEquals(read(t, swapped).where(lost).count(), 0L, lost)
    t.byPosition = false
    assertEquals(read(t, swapped).head().toString, "[was b,was a,null,null]")
  }

  test("a change of type that engines read differently is refused by name") {
    val t = written("struct<a:string,b:bigint,c:struct<x:int>>", "select '1' as a, 2L as b, named_struct('x', 1) as c")
    for (ddl <- Seq("a timestamp", "b timestamp", "a date", "c array<int>", "b binary", "c int")) {
      val error = acidError(read(t, ddl).collect())
      assertEquals(error.getCondition, "HIVE_ACID_UNSUPPORTED_LAYOUT")
      assert(error.getMessage.contains("would have to be read as"), error.getMessage)
    }
    assertEquals(read(t, "a date, b bigint").select("b").head().toString, "[2]")
  }
}
