import { describe, expect, it } from 'vitest'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { buildLab, iptablesRules, type Lab, type Observation, summaryOf } from './lab.js'
import { diagnoseFault, loadFault, runPrinted } from './printed-commands.js'
import { PRINTED_COMMANDS, type PrintedCommand, packetOfFault } from './printed-commands-table.js'

// The commands that a diagnosis prints are run as printed: the packet must arrive afterwards, and not before.

describe('the printed commands', () => {
  const labFor = useSandbox(['iptables-nft', 'nft', 'network', 'conntrack'], (sandbox) =>
    buildLab(sandbox, iptablesRules('IPv4', 'nft')),
  )

  it.for(PRINTED_COMMANDS)('let packets arrive in $mode mode if $name', async (each, context) => {
    const lab = await labFor(context)
    const faulty = await loadFault(lab.on('node'), each)
    expect(await outcomeOf(lab, each, each.before)).toBe(each.before)
    const [diagnosis] = await diagnoseFault(faulty, packetOfFault(each))
    const tried = diagnosis?.steps.filter(({ outcome, command }) => outcome !== undefined && command !== undefined)
    const commands = tried?.flatMap(({ command = '' }) => command) ?? []
    expect(commands).toEqual(each.commands)
    let node = faulty
    for (const command of commands) node = await runPrinted(node, command)
    expect(await outcomeOf(lab, each, each.after)).toBe(each.after)
  })
})

/** Sends packets and waits for answers, for a short time only if none are expected. */
async function outcomeOf(lab: Lab, each: PrintedCommand, expected: string): Promise<string> {
  const packet = packetOfFault(each)
  const milliseconds = /\bdrop\b/.test(expected) ? 700 : 20_000
  const [observation] = await lab.probe(each.from, [{ packet, count: 40, milliseconds }])
  return summaryOf(observation as Observation, packet)
}
