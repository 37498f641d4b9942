import { readFile } from 'node:fs/promises'

/** Returns the version in the package.json of this package, one level above both `src` and `dist`. */
export async function readPackageVersion(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(text) as { readonly version: string }
  return version
}
