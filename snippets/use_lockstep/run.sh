mkdir -p project/content project/code/output
mv mkdocs.yml pyproject.toml two_languages.py project
mv index.md project/content
mv make.sql sum.sql project/code
cd project
python -m lockstep run content/index.md
