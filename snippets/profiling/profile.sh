ncu --quiet --set full --import-source yes --clock-control none --export galaxy --force-overwrite \
    python galaxy.py 131072 67108864
