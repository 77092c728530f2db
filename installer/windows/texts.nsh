; What the installer says, in the languages of the window.

LangString ABOUT ${LANG_ENGLISH} "Search prior art and chart the evidence for each feature of a claim"
LangString ABOUT ${LANG_GERMAN} "Stand der Technik recherchieren und Fundstellen zu jedem Merkmal eines Anspruchs festhalten"
LangString ABOUT ${LANG_FRENCH} "Rechercher l’état de la technique et relever les passages pour chaque caractéristique d’une revendication"

LangString SYSTEM ${LANG_ENGLISH} "Claimlight needs Windows 10 or newer with 64 bits. Nothing was changed."
LangString SYSTEM ${LANG_GERMAN} "Claimlight braucht Windows 10 oder neuer mit 64 Bit. Nichts wurde geändert."
LangString SYSTEM ${LANG_FRENCH} "Claimlight demande Windows 10 ou plus récent, en 64 bits. Rien n’a été modifié."

LangString OPEN ${LANG_ENGLISH} "Claimlight is open. Close its windows, and wait for an import or an indexing that goes on. Nothing was changed."
LangString OPEN ${LANG_GERMAN} "Claimlight ist geöffnet. Schließen Sie seine Fenster, und warten Sie einen laufenden Import oder eine laufende Indexierung ab. Nichts wurde geändert."
LangString OPEN ${LANG_FRENCH} "Claimlight est ouvert. Fermez ses fenêtres et attendez la fin d’une importation ou d’une indexation en cours. Rien n’a été modifié."

LangString WRITING ${LANG_ENGLISH} "You may not write into $INSTDIR. Choose another folder, with /D= in a silent installation. Nothing was changed."
LangString WRITING ${LANG_GERMAN} "In $INSTDIR dürfen Sie nicht schreiben. Wählen Sie einen anderen Ordner, bei stiller Installation mit /D=. Nichts wurde geändert."
LangString WRITING ${LANG_FRENCH} "Vous ne pouvez pas écrire dans $INSTDIR. Choisissez un autre dossier, avec /D= pour une installation silencieuse. Rien n’a été modifié."

LangString STRANGER ${LANG_ENGLISH} "${PROGRAM} is there already and is something else. Choose another folder. Nothing was changed."
LangString STRANGER ${LANG_GERMAN} "${PROGRAM} ist schon da und ist etwas anderes. Wählen Sie einen anderen Ordner. Nichts wurde geändert."
LangString STRANGER ${LANG_FRENCH} "${PROGRAM} existe déjà et est autre chose. Choisissez un autre dossier. Rien n’a été modifié."

LangString SPACE ${LANG_ENGLISH} "There is too little space in $INSTDIR: ${UNPACKED_KB} KB are needed, $1 KB are free. Nothing was changed."
LangString SPACE ${LANG_GERMAN} "In $INSTDIR ist zu wenig Platz: ${UNPACKED_KB} KB werden gebraucht, $1 KB sind frei. Nichts wurde geändert."
LangString SPACE ${LANG_FRENCH} "Il n’y a pas assez de place dans $INSTDIR : il faut ${UNPACKED_KB} Ko, $1 Ko sont libres. Rien n’a été modifié."

LangString UNPACKING ${LANG_ENGLISH} "The program could not be unpacked; is the disk full? Nothing was changed."
LangString UNPACKING ${LANG_GERMAN} "Das Programm konnte nicht entpackt werden; ist der Datenträger voll? Nichts wurde geändert."
LangString UNPACKING ${LANG_FRENCH} "Le programme n’a pas pu être décompressé ; le disque est-il plein ? Rien n’a été modifié."

LangString START ${LANG_ENGLISH} "The new program does not start on this computer. Nothing was changed. The reason is in $TEMP\claimlight-installation.log."
LangString START ${LANG_GERMAN} "Das neue Programm startet auf diesem Computer nicht. Nichts wurde geändert. Der Grund steht in $TEMP\claimlight-installation.log."
LangString START ${LANG_FRENCH} "Le nouveau programme ne démarre pas sur cet ordinateur. Rien n’a été modifié. La raison est dans $TEMP\claimlight-installation.log."

LangString NOTHING ${LANG_ENGLISH} "There is no Claimlight in $INSTDIR. Nothing was changed."
LangString NOTHING ${LANG_GERMAN} "In $INSTDIR ist kein Claimlight. Nichts wurde geändert."
LangString NOTHING ${LANG_FRENCH} "Il n’y a pas de Claimlight dans $INSTDIR. Rien n’a été modifié."

LangString DONE ${LANG_ENGLISH} "installed in $INSTDIR."
LangString DONE ${LANG_GERMAN} "installiert in $INSTDIR."
LangString DONE ${LANG_FRENCH} "installé dans $INSTDIR."

LangString STAYS ${LANG_ENGLISH} "Claimlight is removed. Your libraries, cases and models stay in $Data, your settings in $Settings."
LangString STAYS ${LANG_GERMAN} "Claimlight ist entfernt. Ihre Bibliotheken, Fälle und Modelle bleiben in $Data, Ihre Einstellungen in $Settings."
LangString STAYS ${LANG_FRENCH} "Claimlight est supprimé. Vos bibliothèques, dossiers et modèles restent dans $Data, vos réglages dans $Settings."
