import { execFile } from 'node:child_process'

/** For a hang alone. */
const FIVE_MINUTES = 300_000

/** Runs a command. Never rejects: `code` is 0 where all went well. */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: FIVE_MINUTES, ...options },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? 1), stdout, stderr: stderr || (error?.message ?? '') }),
    )
    child.stdin?.end(options.input ?? '')
  })
}

/** Runs a command. Returns its output as the one problem where it fails. */
export async function failureOf(heading, command, args, options) {
  const { code, stdout, stderr } = await run(command, args, options)
  return code === 0 ? [] : [`${heading}: ${command} ${args.join(' ')}\n${stdout}${stderr}`]
}

/** The problems of checks that may run at the same time. */
export async function problemsOf(...checks) {
  return (await Promise.all(checks)).flat()
}
