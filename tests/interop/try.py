import asyncio,sys,traceback
sys.path.insert(0,"/work/main/tests")
from interop.conversation import conversation
from support import peers
async def main(rev, be):
    async with conversation([peers.official_python(), "/work/main/tests/interop/asking_server.py"], rev, be) as t:
        h=await t.hello(); print(h)
        for name,kw in [("form",dict(text="Who?")),("form",dict(text="Refuse?")),("page",dict(url="http://127.0.0.1/x")),("sampled",dict(text="hi")),("rooted",{}),("measured",dict(name="z")),("blocks",dict(kinds=["text","image","audio","resource","resource_link"])),("logs",{}),("changes",{})]:
            try: print(name, await t.tool(name,**kw))
            except Exception as e: print(name,"EXC",repr(e)[:300])
        print([ (n,p) for n,p in t.heard.all if n!="stderr"])
        print([p for p in t.heard.of("stderr")][-6:])
asyncio.run(main(*sys.argv[1:]))
