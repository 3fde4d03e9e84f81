"""From configuration keys to the settings that go to the workers."""

from __future__ import annotations

from orchestrator.configuration.model import Configuration
from orchestrator.configuration.planned_contracts import medusa_tests, with_targets
from orchestrator.configuration.quantities import INT64_MAX, word_bytes
from simulator.modes.table import DEFAULT_MODE, MODES
from simulator.policy import USER, Policy
from simulator.settings import CampaignSettings, in_world
from simulator.transaction import address_bytes

# Echidna appends ten zero words, so that a constructor with arguments finds some.
_CONSTRUCTOR_ARGUMENTS = bytes(320)


def campaign_settings(configuration: Configuration, contract_full_name: str, policy: Policy = USER) -> CampaignSettings:
    """The workers' settings for the contract `path:Name`.

    Delays and the code size are cut to 2**63-1, which no campaign reaches, because frames carry 64 bits. Creation
    codes of `deployBytecodes` get 320 zero bytes of constructor arguments, as in Echidna.
    """
    keys = configuration
    world = MODES[keys.test_mode or DEFAULT_MODE].world
    settings = CampaignSettings(
        contract=contract_full_name,
        test_mode=keys.test_mode or DEFAULT_MODE,
        prefix=keys.prefix,
        property_sender=address_bytes(keys.property_sender),
        senders=tuple(address_bytes(sender) for sender in keys.senders),
        deployer=address_bytes(keys.deployer),
        contract_address=address_bytes(keys.contract_address),
        sender_balance=word_bytes(keys.sender_balance),
        contract_balance=word_bytes(keys.contract_balance),
        sequence_length=keys.sequence_length,
        shrink_limit=keys.shrink_limit,
        property_gas=keys.property_gas,
        transaction_gas=keys.transaction_gas,
        gas_price=word_bytes(keys.gas_price),
        max_time_delay=min(keys.max_time_delay, INT64_MAX),
        max_block_delay=min(keys.max_block_delay, INT64_MAX),
        max_value=word_bytes(keys.max_value),
        max_code_size=min(keys.code_size, INT64_MAX),
        coverage=keys.coverage,
        dictionary_frequency=keys.dictionary_frequency,
        mutation_weights=keys.mutation_weights,
        all_contracts=keys.all_contracts,
        filter_functions=keys.filter_functions,
        filter_is_blacklist=keys.filter_blacklist,
        exclude_view_pure=keys.exclude_view_pure,
        deploy_contracts=tuple((address_bytes(address), name) for address, name in keys.deploy_contracts),
        deploy_bytecodes=tuple(
            (address_bytes(address), code + _CONSTRUCTOR_ARGUMENTS) for address, code in keys.deploy_bytecodes
        ),
        test_destruction=keys.test_destruction,
        stop_on_fail=keys.stop_on_fail,
        allow_ffi=keys.allow_ffi,
        compile_hot_code=keys.compile_hot_code,
        policy=policy,
        medusa=medusa_tests(keys),
        cheatcodes=keys.cheatcodes,
    )
    return with_targets(in_world(settings, world, keys.model_fields_set), keys)
