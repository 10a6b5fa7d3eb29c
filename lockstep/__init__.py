"""The proving core: pages whose code ran, and the evidence that it did.

It knows pages, includes, languages, runs, records, stamps and exports, and nothing of the subject
that the pages teach. A project says what is its own in ``lockstep.project``.
"""
