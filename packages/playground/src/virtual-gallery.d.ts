declare module 'virtual:gallery' {
  import type { Example } from '../builder/examples.js'
  import type { GalleryColumns } from './question/gallery-columns.js'
  import type { PlaygroundRequest } from './question/playground-request.js'
  export const COLUMNS: GalleryColumns
  /** An example with the fields of its question. */
  export type GalleryExample = Omit<Example, 'question'> & Partial<PlaygroundRequest>
}
