// The first process of a private network namespace. It runs requests, one JSON object per line:
//
// { id, command, input, seconds } runs a command to its end, or kills it after this many seconds
// { id, command, stays: true } starts a command that stays, and waits for its first line
//
// It responds with `{ id, status, stdout, stderr }`. The sandbox ends with this process: when its standard input
// closes, which covers any end of the parent, and after SECONDS in any case. Because it is process 1, all of its child
// processes end with it.
//
// A shell in each network namespace runs the commands, because starting a process from Node.js costs more than most
// commands. While it is busy, further commands start from here.
//
// node agent.mjs SECONDS
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

setTimeout(() => process.exit(124), Number(process.argv[2]) * 1000)
const requests = createInterface({ input: process.stdin })
requests.on('line', (line) => run(JSON.parse(line)))
requests.on('close', () => process.exit(0))

/** The shells by the command that enters their namespace. */
const shells = new Map()

function run({ id, command, input = '', seconds = 300, stays = false }) {
  const answer = (status, stdout, stderr) => process.stdout.write(`${JSON.stringify({ id, status, stdout, stderr })}\n`)
  const [enter, own] = command[0] === 'nsenter' ? [command.slice(0, 3), command.slice(3)] : [[], command]
  if (command.slice(0, 3).join(' ') === 'ip netns delete') closeShell(`nsenter --net=/run/netns/${command[3]} --`)
  const shell = shells.get(enter.join(' ')) ?? openShell(enter)
  if (stays || shell.isBusy) start(command, { input, seconds, stays }, answer)
  else runInShell(shell, own, { input, seconds }, answer)
}

function openShell(enter) {
  const child = spawn([...enter, 'sh'][0], [...enter, 'sh'].slice(1), { detached: true })
  const shell = { child, folder: mkdtempSync('/run/shell-'), isBusy: false, end: () => {}, key: enter.join(' ') }
  createInterface({ input: child.stdout }).on('line', (line) => shell.end(Number(line)))
  // What the shell itself says, such as that a command was aborted.
  child.stderr.resume()
  child.stdin.on('error', () => {})
  const over = () => {
    if (shells.get(shell.key) === shell) shells.delete(shell.key)
    shell.end(null)
  }
  child.on('error', over)
  child.on('close', over)
  shells.set(shell.key, shell)
  return shell
}

/** The namespace exists as long as a process is in it. */
function closeShell(key) {
  shells.get(key)?.child.stdin.end()
  shells.delete(key)
}

function runInShell(shell, command, { input, seconds }, answer) {
  const [stdin, stdout, stderr] = ['in', 'out', 'err'].map((name) => `${shell.folder}/${name}`)
  if (input !== '') writeFileSync(stdin, input)
  for (const file of [stdout, stderr]) writeFileSync(file, '')
  const timer = setTimeout(() => process.kill(-shell.child.pid, 'SIGKILL'), seconds * 1000)
  shell.isBusy = true
  shell.end = (status) => {
    shell.end = () => {}
    shell.isBusy = false
    clearTimeout(timer)
    answer(status, readFileSync(stdout, 'utf8'), readFileSync(stderr, 'utf8'))
  }
  const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  shell.child.stdin.write(`${words} < ${input === '' ? '/dev/null' : stdin} > ${stdout} 2> ${stderr}; echo $?\n`)
}

function start([program, ...args], { input, seconds, stays }, answer) {
  const child = spawn(program, args, { timeout: stays ? undefined : seconds * 1000, killSignal: 'SIGKILL' })
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr']) {
    child[stream].setEncoding('utf8').on('data', (text) => {
      output[stream] += text
    })
  }
  const end = (status) => answer(status, output.stdout, output.stderr)
  if (stays) child.stdout.once('data', () => end(0))
  child.on('error', ({ code }) => {
    output.stderr += `${program}: ${code}`
    end(null)
  })
  child.on('close', (status, signal) => {
    if (signal !== null) output.stderr += `ended by ${signal} after ${seconds} s`
    end(status)
  })
  // A program that does not read its input may exit before the write.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
}
