"""Transactions as native records."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.evm.host_memory import packing, view
from simulator.fuzz.arena import MemoryBlock
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.records import pack_transaction, unpack_transaction
from simulator.transaction import Transaction, wei_bytes

addresses = st.binary(min_size=20, max_size=20)
transactions = st.builds(
    Transaction,
    sender=addresses,
    to=addresses | st.just(b""),
    data=st.binary(max_size=200),
    value=st.integers(0, 2**256 - 1).map(wei_bytes),
    seconds=st.integers(0, 2**62),
    blocks=st.integers(0, 2**62),
    gas=st.integers(0, 2**62),
)


@given(transactions)
def test_a_transaction_survives_its_record(transaction: Transaction):
    """Packing and unpacking gives the same transaction."""
    record = pack_transaction(transaction, 0, 0)
    arena = MemoryBlock(len(record))
    assert unpack_transaction(view(TransactionRecord, arena.write(0, record))) == transaction


def test_fields_are_packed_only_as_the_layout_has_them():
    """A name that is missing, or stands elsewhere, is refused where the packing is made."""
    for names in (("function", "template"), ("template", "function")):
        with pytest.raises(ValueError, match="TransactionRecord does not consist of"):
            packing(TransactionRecord, names)
