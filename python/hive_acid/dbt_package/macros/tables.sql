{# The clauses by which a table of `file_format: hive_acid` is made, by models, snapshots and seeds alike. #}

{% macro is_acid() %}
  {% do return(config.get('file_format') == 'hive_acid') %}
{% endmacro %}

{% macro spark__file_format_clause() %}
  {%- if hive_acid.is_acid() %}
    {#- dbt-spark makes the table of a seed without its clause of properties, so they stand here -#}
    stored as {{ config.get('stored_as', 'orc') }}
    {%- set properties = {'transactional': 'true'} %}
    {%- if config.get('insert_only', false) or config.get('stored_as', 'orc') | lower != 'orc' %}
      {%- do properties.update({'transactional_properties': 'insert_only'}) %}
    {%- endif %}
    {%- do properties.update(config.get('tblproperties') or {}) %}
    tblproperties (
      {%- for key, value in properties.items() -%}
        '{{ key }}' = '{{ value }}' {%- if not loop.last %}, {% endif -%}
      {%- endfor -%}
    )
  {%- else %}
    {{- dbt_spark.spark__file_format_clause() }}
  {%- endif %}
{% endmacro %}

{% macro spark__tblproperties_clause() %}
  {%- if not hive_acid.is_acid() %}
    {{- dbt_spark.spark__tblproperties_clause() }}
  {%- endif %}
{% endmacro %}
