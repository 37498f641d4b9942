import { describe, expect, it } from 'vitest'
import { describeConnectionsAlone } from '../../../application/src/dump/connections.js'
import { type CommandExecutor, inNewNamespace } from './sandbox/sandbox.js'
import { useSandbox } from './sandbox/use-sandbox.js'

/** Adds an entry of a client that is not translated and has no reply. */
async function addEntry(run: CommandExecutor, port: number): Promise<void> {
  const command = `conntrack -I -p udp -s 10.244.1.9 -d 10.96.0.10 --sport 40000 --dport ${port} --timeout 600`
  expect(await run(command.split(' '))).toMatchObject({ status: 0 })
}

describe('the command of the message about connections without rules', () => {
  const sandboxFor = useSandbox(['conntrack'])

  it('deletes the entry of the message, and no other', async (context) => {
    await inNewNamespace(await sandboxFor(context), async (run) => {
      await addEntry(run, 53)
      const { stdout: text } = await run(['conntrack', '-L', '-p', 'udp'])
      await addEntry(run, 54)
      const message = describeConnectionsAlone([{ name: 'node.txt', text }]) ?? ''
      const [, command = ''] = /: run (conntrack -D .*) on the node;/.exec(message) ?? []
      expect(message).toContain('10.244.1.9 to 10.96.0.10:53/UDP is not translated')
      expect(await run(command.split(' '))).toMatchObject({ status: 0 })
      const { stdout: rest } = await run(['conntrack', '-L', '-p', 'udp'])
      expect(rest).toMatch(/^udp .* sport=40000 dport=54 .*\n$/)
    })
  })
})
