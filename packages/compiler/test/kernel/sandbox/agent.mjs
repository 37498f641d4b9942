// The first process of a private network namespace. It runs requests, one JSON object per line:
//
// { id, command, input, seconds } runs a command to its end, or kills it after this many seconds
// { id, command, stays: true } starts a command that stays, and waits for its first line
//
// It responds with `{ id, status, stdout, stderr }`. The sandbox ends with this process: when its standard input
// closes, which covers any end of the parent, and after SECONDS in any case. Because it is process 1, all of its child
// processes end with it.
//
// node agent.mjs SECONDS
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

setTimeout(() => process.exit(124), Number(process.argv[2]) * 1000)
const requests = createInterface({ input: process.stdin })
requests.on('line', (line) => run(JSON.parse(line)))
requests.on('close', () => process.exit(0))

function run({ id, command: [program, ...args], input = '', seconds = 300, stays = false }) {
  const child = spawn(program, args, { timeout: stays ? undefined : seconds * 1000, killSignal: 'SIGKILL' })
  const output = { stdout: '', stderr: '' }
  const answer = (status) => process.stdout.write(`${JSON.stringify({ id, status, ...output })}\n`)
  for (const stream of ['stdout', 'stderr']) {
    child[stream].setEncoding('utf8').on('data', (text) => {
      output[stream] += text
    })
  }
  if (stays) child.stdout.once('data', () => answer(0))
  child.on('error', ({ code }) => {
    output.stderr += `${program}: ${code}`
    answer(null)
  })
  child.on('close', (status, signal) => {
    if (signal !== null) output.stderr += `ended by ${signal} after ${seconds} s`
    answer(status)
  })
  // A program that does not read its input may exit before the write.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
}
