import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CommandInvocation, runCommands } from '../../src/commands/run-commands.js'
import type { ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'

const change: ToolCommand = {
  tool: 'iptables-restore',
  args: ['--noflush'],
  input: '*nat\nCOMMIT\n',
  purpose: 'change rules',
}
const jump: ToolCommand = { tool: 'iptables', args: ['-I'], input: '', purpose: 'jump from INPUT', skipIf: ['-C'] }
const forget: ToolCommand = {
  tool: 'conntrack',
  args: ['-D'],
  input: '',
  purpose: 'forget connections',
  allowFailure: true,
}

/** Creates an executor that looks up the outcome by the first argument, and records its input. */
function recorder(outcomes: Readonly<Record<string, boolean>>) {
  const commands: CommandInvocation[] = []
  const execute = (command: CommandInvocation) => {
    commands.push(command)
    return outcomes[command.args[0] ?? ''] ?? true
  }
  return { commands, execute }
}

function statuses(status: number | null) {
  const commands: CommandInvocation[] = []
  const execute = (command: CommandInvocation) => {
    commands.push(command)
    return status
  }
  return { commands, execute }
}

describe('runCommands', () => {
  it('executes the commands in their order, each with its input', async () => {
    const { commands, execute } = recorder({ '-C': false })
    expect(await runCommands([change, jump, forget], execute)).toEqual({ ok: true })
    expect(commands).toEqual([
      {
        tool: 'iptables-restore',
        args: ['--noflush'],
        input: '*nat\nCOMMIT\n',
        purpose: 'change rules',
        onNonZeroExit: 'fail',
      },
      { tool: 'iptables', args: ['-C'], input: '', purpose: 'jump from INPUT', onNonZeroExit: 'runNext' },
      { tool: 'iptables', args: ['-I'], input: '', purpose: 'jump from INPUT', onNonZeroExit: 'fail' },
      { tool: 'conntrack', args: ['-D'], input: '', purpose: 'forget connections', onNonZeroExit: 'ignore' },
    ])
  })

  it('executes the check of a command without input', async () => {
    const { commands, execute } = recorder({})
    await runCommands([{ ...change, skipIf: ['--test'] }], execute)
    expect(commands.map(({ args, input }) => ({ args, input }))).toEqual([{ args: ['--test'], input: '' }])
  })

  it('stops at the first command that fails and returns this command', async () => {
    const { commands, execute } = recorder({ '--noflush': false })
    expect(await runCommands([forget, change, jump], execute)).toEqual({ ok: false, failed: change })
    expect(commands.map(({ tool }) => tool)).toEqual(['conntrack', 'iptables-restore'])
  })

  it('skips a command if its check succeeds, and executes the next command', async () => {
    const { commands, execute } = recorder({})
    expect(await runCommands([jump, change], execute)).toEqual({ ok: true })
    expect(commands.map(({ args }) => args[0])).toEqual(['-C', '--noflush'])
  })

  it('continues after the failure of a command with allowFailure', async () => {
    const { commands, execute } = recorder({ '-D': false })
    expect(await runCommands([forget, change], execute)).toEqual({ ok: true })
    expect(commands).toHaveLength(2)
  })

  it('treats exit status 0 of a command or a check as success', async () => {
    const { commands, execute } = statuses(0)
    expect(await runCommands([change, jump], execute)).toEqual({ ok: true })
    expect(commands.map(({ args }) => args[0])).toEqual(['--noflush', '-C'])
  })

  it.each([1, 2])('continues after exit status %i if the command lists it in nothingToDo', async (status) => {
    const command = { ...forget, nothingToDo: [1, 2] }
    expect(await runCommands([command], statuses(status).execute)).toEqual({ ok: true })
  })

  it.each([2, 4, 137, -1, null, undefined])(
    'stops at a command with allowFailure if it ends with %s, because this is a real failure',
    async (status) => {
      expect(await runCommands([forget, change], statuses(status as never).execute)).toEqual({
        ok: false,
        failed: forget,
      })
    },
  )

  it.each([
    ['a command', change],
    ['a check', jump],
    ['a command with allowFailure', forget],
  ])('stops and returns the error if %s throws or rejects', async (_what, command) => {
    const error = new Error('ENOENT')
    const throws = () => {
      throw error
    }
    expect(await runCommands([command, change], throws)).toEqual({ ok: false, failed: command, error })
    expect(await runCommands([command, change], () => Promise.reject(error))).toEqual({
      ok: false,
      failed: command,
      error,
    })
  })

  it.each([1, 4, undefined, null])('treats the result %s as a failure', async (answer) => {
    expect(await runCommands([change], () => answer as never)).toEqual({ ok: false, failed: change })
  })

  it('starts a command only after the previous command has ended', async () => {
    let running = 0
    const execute = async () => {
      running += 1
      await new Promise((resolve) => setTimeout(resolve))
      expect(running).toBe(1)
      running -= 1
      return true
    }
    expect(await runCommands([change, jump, forget, change], execute)).toEqual({ ok: true })
  })

  const outcome = fc.boolean()
  const step = fc.record({
    unless: fc.option(outcome, { nil: undefined }),
    succeeds: outcome,
    allowFailure: outcome,
  })

  it('executes the same commands with a synchronous executor as with an asynchronous executor', async () => {
    let stopped = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step), async (steps) => {
        const commands = steps.map(({ unless, allowFailure }, index): ToolCommand => {
          const condition = unless === undefined ? {} : { skipIf: [`?${index}`] }
          return { tool: 't', args: [`${index}`], input: `${index}`, purpose: 'p', allowFailure, ...condition }
        })
        const answer = ([word = '']: readonly string[]): boolean =>
          (word.startsWith('?') ? steps[Number(word.slice(1))]?.unless : steps[Number(word)]?.succeeds) === true
        const isDone = ({ unless, succeeds, allowFailure }: (typeof steps)[number]) =>
          unless || succeeds || allowFailure
        const end = steps.findIndex((each) => !isDone(each))
        const begun = end < 0 ? steps : steps.slice(0, end + 1)
        const expected = begun.flatMap(({ unless }, index) => [
          ...(unless === undefined ? [] : [`?${index}`]),
          ...(unless === true ? [] : [`${index}`]),
        ])
        if (end >= 0) stopped += 1
        for (const isAsync of [false, true]) {
          const words: (string | undefined)[] = []
          const applied = await runCommands(commands, ({ args }) => {
            words.push(args[0])
            return isAsync ? Promise.resolve(answer(args)) : answer(args)
          })
          expect(words).toEqual(expected)
          expect(applied).toEqual(end < 0 ? { ok: true } : { ok: false, failed: commands[end] })
        }
      }),
      { numRuns: 100 },
    )
    expect(stopped).toBeGreaterThan(10)
  })
})
