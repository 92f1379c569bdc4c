"""Play of bots and hints: what a seat that sees its own paper and dice had best do.

It knows no seats, no keys and no other paper, so an answer cannot depend on a secret. Computation only, off the event loop;
``advisor`` alone is the adapter of the tables' port ``Advisor`` and knows asyncio.
"""
