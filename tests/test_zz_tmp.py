import sys; sys.path.insert(0,'/tmp/d13c')
import h, os
from tests.test_attacks import house, plant, refusals
def test_all(house):
    root,conv,chk=house
    want=os.environ.get('CL','vacuous,faked,never,impostor').split(',')
    only=os.environ.get('ONLY')
    path=os.environ.get('RECIPES','/work/lanes/marks/atkB.md')
    res=open('/tmp/d13c/out.txt','w')
    for name,cl,sect,body in h.recipes(path):
        if cl not in want or (only and name not in only.split(',')): continue
        a=h.to_attack(name,body)
        try: said=refusals(root,conv,chk,plant(root,a),a)
        except BaseException as e: said=[f'CRASH {type(e).__name__} {e}']
        tail = " ".join(said)[-250:].replace("\n", " ")
        print("PASS" if not said else "refused", sect[:16], cl, name, tail, file=res, flush=True)
