import { readdirSync } from 'node:fs'

/** Lists the TypeScript files below a folder. */
export function sourceFiles(folder: URL): readonly URL[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return sourceFiles(new URL(`${entry.name}/`, folder))
    return entry.name.endsWith('.ts') ? [new URL(entry.name, folder)] : []
  })
}
