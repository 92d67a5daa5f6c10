{# The statement of each incremental strategy, one for each, so that it counts wholly or not at all. Its source is a temporary view of the new rows. #}

{% macro strategies() %}
  {% do return(['append', 'merge', 'delete+insert', 'insert_overwrite']) %}
{% endmacro %}

{% macro check_strategy(strategy, unique_key) %}
  {% if strategy not in hive_acid.strategies() %}
    {% do exceptions.raise_compiler_error(
      'The incremental strategy ' ~ strategy ~ ' is none of those of file_format hive_acid: ' ~ hive_acid.strategies() | join(', ')
    ) %}
  {% endif %}
  {% if strategy in ['merge', 'delete+insert'] and not unique_key %}
    {% do exceptions.raise_compiler_error('The incremental strategy ' ~ strategy ~ ' needs a unique_key') %}
  {% endif %}
{% endmacro %}

{% macro incremental_statement(strategy, source, target, existing, unique_key, predicates) %}
  {%- if strategy == 'merge' %}
    {{- spark__get_merge_sql(target, source, unique_key, none, predicates) }}
  {%- elif strategy == 'delete+insert' %}
    {{- hive_acid.replace_keys(source, target, unique_key, predicates) }}
  {%- elif strategy == 'insert_overwrite' %}
    {{- get_insert_overwrite_sql(source, target, existing) }}
  {%- else %}
    {{- get_insert_into_sql(source, target) }}
  {%- endif %}
{% endmacro %}

{#
  One MERGE, so that nobody sees the table without the rows: each key once, to delete by, and all rows, to insert.
  As in other adapters, keys may repeat in the new rows and in the table.
#}
{% macro replace_keys(source, target, unique_key, predicates) %}
  {%- set keys = [unique_key] if unique_key is string else unique_key %}
  {%- set names = adapter.get_columns_in_relation(target) | map(attribute='quoted') | list %}
  {%- set conditions = ['DBT_INTERNAL_SOURCE.dbt_deletes'] %}
  {%- for key in keys %}
    {%- do conditions.append('DBT_INTERNAL_SOURCE.' ~ key ~ ' = DBT_INTERNAL_DEST.' ~ key) %}
  {%- endfor %}
  merge into {{ target }} as DBT_INTERNAL_DEST
  using (
    select false as dbt_deletes, {{ names | join(', ') }} from {{ source }}
    union all
    select true, {{ names | join(', ') }} from (
      select *, row_number() over (partition by {{ keys | join(', ') }} order by null) as dbt_nth from {{ source }}
    ) where dbt_nth = 1
  ) as DBT_INTERNAL_SOURCE
  on {{ (conditions + (predicates or [])) | join(' and ') }}
  when matched then delete
  when not matched and not DBT_INTERNAL_SOURCE.dbt_deletes
    then insert ({{ names | join(', ') }}) values (
      {%- for name in names %}DBT_INTERNAL_SOURCE.{{ name }} {%- if not loop.last %}, {% endif %}{% endfor -%}
    )
{% endmacro %}
