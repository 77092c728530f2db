; Claimlight for Windows, for one user and without administrator. `build.py` compiles this over a program folder
; and defines TARGET, VERSION, FILE_VERSION, STAMP, UNPACKED_KB, HERE, LICENCE and OUT; it runs in that folder.
;
;   SETUP.exe /S [/D=C:\a folder]   install without a question; /D= comes last and has no quotation marks
;   uninstall.exe /S                remove the program; libraries, cases, models and settings stay
;
; Exit codes: 0 done, 1 the user stopped it, 2 refused and nothing changed. What is said is also written into
; %TEMP%\claimlight-installation.log, for nobody sees a message of a silent installation.

Target ${TARGET}
Unicode true
SetCompressor /SOLID lzma
SetCompressorDictSize 32
CRCCheck force
RequestExecutionLevel user
ManifestDPIAware true
ManifestSupportedOS Win10

!include MUI2.nsh
!include LogicLib.nsh
!include WinVer.nsh
!include x64.nsh

; The program itself. An upgrade changes what is in it and never its name: pinned icons go on working.
!define PROGRAM "$INSTDIR\program"
; Beside it while an installation is at work; on one drive, so that both names change at once.
!define NEW "$INSTDIR\.claimlight-new"
!define FORMER "$INSTDIR\.claimlight-former"
!define COMMANDS "claimlight.exe"
!define WINDOW "claimlight-workbench.exe"
!define ENTRY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Claimlight"
!define RUN "Software\Microsoft\Windows\CurrentVersion\App Paths\${WINDOW}"
!define MENU "$SMPROGRAMS\Claimlight.lnk"
; A virus scanner reads all files of the program at its first start.
!define START_MS 300000

Name "Claimlight"
OutFile "${OUT}"
BrandingText "Claimlight ${STAMP}"
InstallDir "$LOCALAPPDATA\Programs\Claimlight"
InstallDirRegKey HKCU "${ENTRY}" "InstallLocation"
ShowInstDetails nevershow
ShowUninstDetails show

!define MUI_ICON "${HERE}${SLASH}claimlight.ico"
!define MUI_UNICON "${HERE}${SLASH}claimlight.ico"
!define PICTURE "${NSISDIR}${SLASH}Contrib${SLASH}Graphics${SLASH}Wizard${SLASH}nsis3-grey.bmp"
!define MUI_WELCOMEFINISHPAGE_BITMAP "${PICTURE}"
!define MUI_UNWELCOMEFINISHPAGE_BITMAP "${PICTURE}"
!define MUI_ABORTWARNING
!insertmacro MUI_PAGE_LICENSE "${LICENCE}"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN "${PROGRAM}\${WINDOW}"
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!define MUI_FINISHPAGE_TEXT "$(STAYS)"
!insertmacro MUI_UNPAGE_FINISH
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"
!insertmacro MUI_LANGUAGE "French"
!include "${HERE}${SLASH}texts.nsh"

VIProductVersion "${FILE_VERSION}"
VIFileVersion "${FILE_VERSION}"
!macro Describe language
    VIAddVersionKey /LANG=${language} "ProductName" "Claimlight"
    VIAddVersionKey /LANG=${language} "ProductVersion" "${STAMP}"
    VIAddVersionKey /LANG=${language} "FileVersion" "${VERSION}"
    VIAddVersionKey /LANG=${language} "FileDescription" "Claimlight ${VERSION}"
    VIAddVersionKey /LANG=${language} "CompanyName" "Claimlight"
    VIAddVersionKey /LANG=${language} "LegalCopyright" "Apache License 2.0"
!macroend
!insertmacro Describe ${LANG_ENGLISH}
!insertmacro Describe ${LANG_GERMAN}
!insertmacro Describe ${LANG_FRENCH}

; Files whose Authenticode signature is made while they are written: the installer and the uninstaller in it.
!ifdef SIGN
    !finalize '${SIGN} "%1"' = 0
    !uninstfinalize '${SIGN} "%1"' = 0
!endif

Var Data ; folder of libraries, cases, models and settings
Var Settings

; Shared by the installer and the uninstaller, which has functions of its own.
!macro Shared un
    Function ${un}Note ; one line of the log, from the stack
        Exch $0
        Push $1
        FileOpen $1 "$TEMP\claimlight-installation.log" a
        FileSeek $1 0 END
        FileWriteUTF16LE /BOM $1 "Claimlight ${VERSION}: $0$\r$\n"
        FileClose $1
        Pop $1
        Pop $0
    FunctionEnd

    Function ${un}Refuse ; why, from the stack; ends here
        Exch $0
        Push $0
        Call ${un}Note
        SetErrorLevel 2
        MessageBox MB_OK|MB_ICONSTOP "$0" /SD IDOK
        Abort "$0"
    FunctionEnd

    ; Windows opens no file for writing from which a program runs.
    Function ${un}CloseFirst
        ${Do}
            StrCpy $1 ""
            ${If} ${FileExists} "${PROGRAM}\${COMMANDS}"
                ClearErrors
                FileOpen $0 "${PROGRAM}\${COMMANDS}" a
                ${If} ${Errors}
                    StrCpy $1 open
                ${Else}
                    FileClose $0
                ${EndIf}
            ${EndIf}
            ${If} ${FileExists} "${PROGRAM}\${WINDOW}"
                ClearErrors
                FileOpen $0 "${PROGRAM}\${WINDOW}" a
                ${If} ${Errors}
                    StrCpy $1 open
                ${Else}
                    FileClose $0
                ${EndIf}
            ${EndIf}
            ${If} $1 == ""
                Return
            ${EndIf}
            MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(OPEN)" /SD IDCANCEL IDRETRY again
            Push "$(OPEN)"
            Call ${un}Note
            SetErrorLevel 2
            Abort "$(OPEN)"
            again:
        ${Loop}
    FunctionEnd

    ; Whether a folder is a program's, by the files that each has: yes or nothing, for its name on the stack.
    Function ${un}IsProgram
        Exch $0
        ${If} ${FileExists} "$0\build.json"
        ${AndIf} ${FileExists} "$0\${COMMANDS}"
            StrCpy $0 yes
        ${Else}
            StrCpy $0 ""
        ${EndIf}
        Exch $0
    FunctionEnd
!macroend
!insertmacro Shared ""
!insertmacro Shared "un."

Function .onInit
    SetShellVarContext current
    ${IfNot} ${RunningX64}
    ${OrIfNot} ${AtLeastWin10}
        Push "$(SYSTEM)"
        Call Note
        SetErrorLevel 2
        MessageBox MB_OK|MB_ICONSTOP "$(SYSTEM)" /SD IDOK
        Quit
    ${EndIf}
FunctionEnd

Function .onInstFailed
    SetOutPath "$TEMP" ; the current folder can't be removed
    RMDir /r "${NEW}"
    RMDir "$INSTDIR" ; only if nothing else is in it
    SetErrorLevel 2
FunctionEnd

Function CheckPlace
    ClearErrors
    CreateDirectory "$INSTDIR"
    FileOpen $0 "$INSTDIR\.claimlight-trial" w
    ${If} ${Errors}
        Push "$(WRITING)"
        Call Refuse
    ${EndIf}
    FileClose $0
    Delete "$INSTDIR\.claimlight-trial"

    ; Of an installation that was ended between its two renames.
    ${If} ${FileExists} "${FORMER}\*"
    ${AndIfNot} ${FileExists} "${PROGRAM}\*"
        Rename "${FORMER}" "${PROGRAM}"
    ${EndIf}
    RMDir /r "${NEW}"
    RMDir /r "${FORMER}"

    ${If} ${FileExists} "${PROGRAM}\*"
        Push "${PROGRAM}"
        Call IsProgram
        Pop $0
        ${If} $0 == ""
            Push "$(STRANGER)"
            Call Refuse
        ${EndIf}
    ${EndIf}

    ; NSIS itself checks the space on its page only, which a silent installation does not show.
    System::Call 'kernel32::GetDiskFreeSpaceExW(w "$INSTDIR", *l .r1, *l, *l) i .r0'
    ${If} $0 != 0
        System::Int64Op $1 / 1024
        Pop $1
        System::Int64Op $1 < ${UNPACKED_KB}
        Pop $0
        ${If} $0 != 0
            Push "$(SPACE)"
            Call Refuse
        ${EndIf}
    ${EndIf}
FunctionEnd

; Nothing is replaced by a program that does not start.
Function StartOnce
    nsExec::ExecToStack /TIMEOUT=${START_MS} '"${NEW}\${COMMANDS}" --version'
    Pop $0
    Pop $1
    ${If} $0 == 0
        nsExec::ExecToStack /TIMEOUT=${START_MS} '"${NEW}\${WINDOW}" --help'
        Pop $0
        Pop $1
    ${EndIf}
    ${If} $0 != 0
        Push "$0: $1"
        Call Note
        Push "$(START)"
        Call Refuse
    ${EndIf}
FunctionEnd

; Windows renames no folder in which anything is open, and virus scanners open what was just written.
Function RenameSoon ; from $2 to $3; sets the error flag after ten seconds
    ${For} $4 1 20
        ClearErrors
        Rename "$2" "$3"
        ${IfNot} ${Errors}
            Return
        ${EndIf}
        Sleep 500
    ${Next}
    SetErrors
FunctionEnd

Function PutInPlace
    ${If} ${FileExists} "${PROGRAM}\*"
        StrCpy $2 "${PROGRAM}"
        StrCpy $3 "${FORMER}"
        Call RenameSoon
        ${If} ${Errors}
            Push "$(OPEN)"
            Call Refuse
        ${EndIf}
    ${EndIf}
    StrCpy $2 "${NEW}"
    StrCpy $3 "${PROGRAM}"
    Call RenameSoon
    ${If} ${Errors}
        Rename "${FORMER}" "${PROGRAM}"
        Push "$(WRITING)"
        Call Refuse
    ${EndIf}
    RMDir /r "${FORMER}"
FunctionEnd

Function Register
    WriteUninstaller "$INSTDIR\uninstall.exe"
    WriteRegStr HKCU "${ENTRY}" "DisplayName" "Claimlight"
    WriteRegStr HKCU "${ENTRY}" "DisplayVersion" "${VERSION}"
    WriteRegStr HKCU "${ENTRY}" "Publisher" "Claimlight"
    WriteRegStr HKCU "${ENTRY}" "Comments" "${STAMP}"
    WriteRegStr HKCU "${ENTRY}" "DisplayIcon" "${PROGRAM}\${WINDOW}"
    WriteRegStr HKCU "${ENTRY}" "InstallLocation" "$INSTDIR"
    WriteRegStr HKCU "${ENTRY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
    WriteRegStr HKCU "${ENTRY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
    WriteRegDWORD HKCU "${ENTRY}" "EstimatedSize" ${UNPACKED_KB}
    WriteRegDWORD HKCU "${ENTRY}" "NoModify" 1
    WriteRegDWORD HKCU "${ENTRY}" "NoRepair" 1
    WriteRegStr HKCU "${RUN}" "" "${PROGRAM}\${WINDOW}"
    SetOutPath "$INSTDIR" ; where the shortcut starts
    CreateShortCut "${MENU}" "${PROGRAM}\${WINDOW}" "" "${PROGRAM}\${WINDOW}" 0 SW_SHOWNORMAL "" "$(ABOUT)"
FunctionEnd

Section "Claimlight"
    Call CheckPlace
    Call CloseFirst
    SetOutPath "${NEW}"
    ClearErrors
    File /r *
    ${If} ${Errors}
        Push "$(UNPACKING)"
        Call Refuse
    ${EndIf}
    SetOutPath "$TEMP" ; a folder in which a program was started is not renamed as long as that program is there
    Call StartOnce
    Call CloseFirst
    Call PutInPlace
    Call Register
    Push "$(DONE)"
    Call Note
SectionEnd

Function un.onInit
    SetShellVarContext current
    ReadEnvStr $Data CLAIMLIGHT_DATA_DIR
    ReadEnvStr $Settings CLAIMLIGHT_CONFIG_DIR
    ${If} $Data == ""
        StrCpy $Data "$LOCALAPPDATA\claimlight"
    ${EndIf}
    ${If} $Settings == ""
        StrCpy $Settings "$LOCALAPPDATA\claimlight"
    ${EndIf}
FunctionEnd

Section "Uninstall"
    Push "${PROGRAM}"
    Call un.IsProgram
    Pop $0
    ${If} $0 == ""
        Push "$(NOTHING)"
        Call un.Refuse
    ${EndIf}
    Call un.CloseFirst
    SetOutPath "$TEMP"
    RMDir /r "${PROGRAM}"
    RMDir /r "${NEW}"
    RMDir /r "${FORMER}"
    ; They may be of a program in another folder. A folder has several names on Windows, so names say nothing.
    ReadRegStr $0 HKCU "${ENTRY}" "InstallLocation"
    ${IfNot} ${FileExists} "$0\program\build.json"
        Delete "${MENU}"
        DeleteRegKey HKCU "${RUN}"
        DeleteRegKey HKCU "${ENTRY}"
    ${EndIf}
    Delete "$INSTDIR\uninstall.exe"
    RMDir "$INSTDIR" ; only if nothing else is in it
    DetailPrint "$(STAYS)"
    Push "$(STAYS)"
    Call un.Note
SectionEnd
