two="torchrun --standalone --nproc-per-node 2 torch_lost.py"
ended='failed \(exitcode: -?\d+\) local_rank: \d'
python ends.py 40 "$ended" $two killed
python ends.py 60 "Watchdog caught collective operation timeout: .*? before timing out|$ended" $two absent
