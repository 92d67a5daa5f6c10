{% materialization snapshot, adapter='spark' %}
  {%- if not hive_acid.is_acid() %}
    {% do return(dbt_spark.materialization_snapshot_spark()) %}
  {%- endif %}

  {%- set existing = load_relation(this) %}
  {%- set target = this.incorporate(type='table') %}
  {%- if existing is not none and not existing.is_table %}
    {% do exceptions.relation_wrong_type(existing, 'table') %}
  {%- endif %}
  {%- set choose = strategy_dispatch(config.get('strategy')) %}
  {%- set strategy = choose(model, 'snapshotted_data', 'source_data', model['config'], existing is not none) %}

  {{ run_hooks(pre_hooks) }}

  {%- if existing is none %}
    {% call statement('main') %}
      {{ create_table_as(False, target, build_snapshot_table(strategy, model['compiled_code'])) }}
    {% endcall %}
  {%- else %}
    {%- set columns = config.get('snapshot_table_column_names') or get_snapshot_table_column_names() %}
    {{ adapter.valid_snapshot_target(target, columns) }}
    {%- set staging = spark_build_snapshot_staging_table(strategy, sql, target) %}
    {%- set new_columns = [] %}
    {%- for column in adapter.get_missing_columns(staging, target) if column.name | lower not in ['dbt_change_type', 'dbt_unique_key'] %}
      {%- do new_columns.append(column) %}
    {%- endfor %}
    {% do create_columns(target, new_columns) %}
    {% call statement('main') %}
      {{ hive_acid.snapshot_merge(target, staging, columns) }}
    {% endcall %}
    {% do adapter.drop_relation(staging) %}
  {%- endif %}

  {% do apply_grants(target, config.get('grants'), should_revoke(existing, should_full_refresh())) %}
  {% do persist_docs(target, model) %}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}

{# The columns are named: the staging view has two more than the table. #}
{% macro snapshot_merge(target, staging, columns) %}
  {%- set current = config.get('dbt_valid_to_current') %}
  {%- set names = adapter.get_columns_in_relation(target) | map(attribute='quoted') | list %}
  merge into {{ target }} as dbt_old
  using {{ staging }} as dbt_new
  on dbt_new.{{ columns.dbt_scd_id }} = dbt_old.{{ columns.dbt_scd_id }}
  when matched and dbt_new.dbt_change_type in ('update', 'delete') and (
    dbt_old.{{ columns.dbt_valid_to }} is null
    {%- if current %} or dbt_old.{{ columns.dbt_valid_to }} = {{ current }} {%- endif %}
  ) then update set {{ columns.dbt_valid_to }} = dbt_new.{{ columns.dbt_valid_to }}
  when not matched and dbt_new.dbt_change_type = 'insert'
    then insert ({{ names | join(', ') }}) values (
      {%- for name in names %}dbt_new.{{ name }} {%- if not loop.last %}, {% endif %}{% endfor -%}
    )
{% endmacro %}
