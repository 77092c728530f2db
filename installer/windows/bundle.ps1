<#
.SYNOPSIS
Makes the program folder of Claimlight and its installer, on Windows with 64 bits.

.DESCRIPTION
Needs, from their usual places:
  Python 3.11, 64 bits, of python.org (the one of the Microsoft Store can't be packed)
  Visual Studio Build Tools with "Desktop development with C++": hnswlib comes as sources
  Git, and the sources of Claimlight cloned with it: commit and date are part of the build stamp
  NSIS 3.08 or newer, for the installer
Packages come from the index that pip is set to. Everything is written below var and dist of the sources.
If the variable CLAIMLIGHT_SIGN is set, it is the command that signs the file whose name follows it: installer and
uninstaller are signed with it.

    powershell -ExecutionPolicy Bypass -File installer\windows\bundle.ps1

What to look at afterwards: docs\developers\windows.md.

.PARAMETER Python
The program of Python, if "py -3.11" is not the right one.

.PARAMETER FolderOnly
Stop after the program folder was used once; NSIS is not needed then.
#>
param(
    [string] $Python = '',
    [switch] $FolderOnly
)

Set-StrictMode -Version 3.0
$ErrorActionPreference = 'Stop'
$Root = Split-Path -Parent (Split-Path -Parent $PSScriptRoot)
$Release = Join-Path $Root 'var\release'
$ReleasePython = Join-Path $Release 'Scripts\python.exe'
$Folder = Join-Path $Root 'dist\claimlight'

function Invoke-Step {
    # Run a program; stop at the first that fails. Windows PowerShell does not do it by itself.
    param([string] $What, [string] $Program, [string[]] $Arguments)
    Write-Host $What
    & $Program @Arguments
    if ($LASTEXITCODE -ne 0) {
        throw "$What failed: $Program ended with $LASTEXITCODE"
    }
}

function Find-Python {
    # The path of Python 3.11 with 64 bits.
    if ($Python -ne '') {
        return $Python
    }
    $launcher = Get-Command py -ErrorAction SilentlyContinue
    if ($null -eq $launcher) {
        throw 'There is no launcher of Python (py). Install Python 3.11 of python.org, or give -Python.'
    }
    $found = & py -3.11 -c 'import sys; print(sys.executable)'
    if ($LASTEXITCODE -ne 0) {
        throw 'Python 3.11 is not installed.'
    }
    return $found
}

function Assert-Python {
    # Refuse another version, 32 bits, and the Python of the Store, whose libraries can't be collected.
    param([string] $Program)
    $told = & $Program -c 'import struct, sys; print(sys.version_info[0], sys.version_info[1], 8 * struct.calcsize(chr(80)))'
    if ($LASTEXITCODE -ne 0 -or $told -ne '3 11 64') {
        throw "Python 3.11 with 64 bits is needed; $Program is $told"
    }
    if ($Program -like '*\WindowsApps\*') {
        throw "$Program is of the Microsoft Store; install Python 3.11 of python.org"
    }
}

if ($null -eq (Get-Command git -ErrorAction SilentlyContinue)) {
    throw 'There is no git: commit and date of the build stamp come from it.'
}

# hnswlib is compiled for any processor with 64 bits, not for the one of this computer.
$env:HNSWLIB_NO_NATIVE = '1'
$env:PIP_DISABLE_PIP_VERSION_CHECK = '1'
# pip and PyInstaller write UTF-8, which the script of the bundle reads.
$env:PYTHONUTF8 = '1'

Push-Location $Root
try {
    $base = Find-Python
    Assert-Python -Program $base
    if (-not (Test-Path $ReleasePython)) {
        Invoke-Step -What 'Making the release environment' -Program $base -Arguments @('-m', 'venv', $Release)
    }
    Invoke-Step -What 'Installing packages' -Program $ReleasePython -Arguments @(
        '-m', 'pip', 'install', '-q', '-r', 'installer\bundle\requirements.txt', '-e', '.[app,cpu,encryption]'
    )
    Invoke-Step -What 'Building the program folder' -Program $ReleasePython -Arguments @(
        'installer\bundle\build.py', 'dist'
    )
    Invoke-Step -What 'Using it once' -Program $ReleasePython -Arguments @(
        'installer\bundle\smoke.py', $Folder, 'resources\sample\xml'
    )
    if (-not $FolderOnly) {
        Invoke-Step -What 'Packing the installer' -Program $ReleasePython -Arguments @(
            'installer\windows\build.py', $Folder, 'dist'
        )
    }
}
finally {
    Pop-Location
}
