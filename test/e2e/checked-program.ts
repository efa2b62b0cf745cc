import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from './doc-page.js'

/** Modules that exist in memory only, compiled together as files of this package. */
export class CheckedProgram {
  private readonly paths: readonly string[]
  private readonly program: ts.Program

  constructor(modules: readonly string[], changes: ts.CompilerOptions = {}) {
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) =>
      readFileSync(path, 'utf8'),
    ) as { config: object }
    const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root)
    const texts = new Map(modules.map((text, index) => [join(root, `example-${index}.ts`), text]))
    this.paths = [...texts.keys()]
    const changed = { ...options, ...changes }
    this.program = ts.createProgram(this.paths, changed, hostOf(changed, texts))
  }

  /** Returns what the compiler reports about each module. */
  complaints(): readonly (readonly string[])[] {
    return this.paths.map((path) =>
      ts
        .getPreEmitDiagnostics(this.program, this.program.getSourceFile(path))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    )
  }

  /** Returns what the compiler reports about the files of a folder that the modules import, and about their names. */
  complaintsOf(folder: string): readonly string[] {
    return this.filesOf(folder)
      .flatMap((file) => this.program.getSemanticDiagnostics(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  }

  /** Returns the number of files of a folder that the modules import. */
  fileCount(folder: string): number {
    return this.filesOf(folder).length
  }

  private filesOf(folder: string): readonly ts.SourceFile[] {
    return this.program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(root, folder)))
  }

  /** Returns the properties of a type that one of the modules exports, for a union those of each member. */
  members(name: string): readonly ReadonlyMap<string, string>[] {
    const checker = this.program.getTypeChecker()
    for (const path of this.paths) {
      const file = this.program.getSourceFile(path)
      const module = file === undefined ? undefined : checker.getSymbolAtLocation(file)
      const found = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name)
      if (found === undefined) continue
      const type = checker.getDeclaredTypeOfSymbol(found)
      const propertyText = (property: ts.Symbol): [string, string] => [
        property.name,
        checker.typeToString(checker.getTypeOfSymbol(property)),
      ]
      const types = type.isUnion() ? type.types : [type]
      return types.map((one) => new Map(checker.getPropertiesOfType(one).map(propertyText)))
    }
    throw new Error(`no module exports ${name}`)
  }
}

function hostOf(options: ts.CompilerOptions, texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const disk = ts.createCompilerHost(options)
  return {
    ...disk,
    fileExists: (path) => texts.has(path) || disk.fileExists(path),
    readFile: (path) => texts.get(path) ?? disk.readFile(path),
    getSourceFile: (path, language) => {
      const text = texts.get(path)
      return text === undefined
        ? disk.getSourceFile(path, language)
        : ts.createSourceFile(path, text, language)
    },
  }
}
