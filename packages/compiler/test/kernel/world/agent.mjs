// The first process of a private network namespace. It runs what it is told to, one JSON object a line:
//
//   { id, command, input, seconds }   runs a command to its end, or ends it after so many seconds
//   { id, command, stays: true }      starts a command that stays, and waits for its first line
//
// and answers `{ id, status, stdout, stderr }`. The world ends with it: when its standard input is closed, by whatever
// end of the one who asked, and after SECONDS in any case. As it is process 1, everything it started ends with it.
//
//   node agent.mjs SECONDS
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
  // A program that does not read its input may end before it was written.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
}
