{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
  {%- if not hive_acid.is_acid() %}
    {% do return(dbt_spark.materialization_incremental_spark()) %}
  {%- endif %}
  {%- if model['language'] != 'sql' %}
    {% do exceptions.raise_compiler_error('A model of file_format hive_acid is SQL') %}
  {%- endif %}

  {%- set strategy = config.get('incremental_strategy') or 'append' %}
  {%- set unique_key = config.get('unique_key') %}
  {%- set predicates = config.get('predicates') or config.get('incremental_predicates') %}
  {%- set on_schema_change = incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') %}
  {%- set target = this %}
  {%- set existing = load_relation(this) %}
  {% do hive_acid.check_strategy(strategy, unique_key) %}

  {{ run_hooks(pre_hooks) }}

  {%- if existing is none or existing.is_view or should_full_refresh() %}
    {% if existing is not none %}
      {% do adapter.drop_relation(existing) %}
    {% endif %}
    {% call statement('main') %}
      {{ create_table_as(False, target, compiled_code) }}
    {% endcall %}
  {%- else %}
    {%- set source = this.incorporate(path={'identifier': this.identifier ~ '__dbt_tmp'}).include(database=false, schema=false) %}
    {% call statement('create_source') %}
      {{ create_table_as(True, source, compiled_code) }}
    {% endcall %}
    {% do process_schema_changes(on_schema_change, source, existing) %}
    {%- if strategy == 'insert_overwrite' and config.get('partition_by') %}
      {% call statement('overwrite_partitions') %}
        set spark.sql.sources.partitionOverwriteMode = DYNAMIC
      {% endcall %}
    {%- endif %}
    {% call statement('main') %}
      {{ hive_acid.incremental_statement(strategy, source, target, existing, unique_key, predicates) }}
    {% endcall %}
  {%- endif %}

  {% do apply_grants(target, config.get('grants'), should_revoke(existing, should_full_refresh())) %}
  {% do persist_docs(target, model) %}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}
